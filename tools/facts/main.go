// Prints the published facts of Kubernetes' API types in everynode's own compact notation: for each type its
// fields with JSON name, protobuf number, type, and the markers that patches and apply need. No prose is taken.
// Usage: go run . SWAGGER_JSON > ../../src/core/api/facts/kubernetes-types.ts (api/openapi-spec/swagger.json of the sources)
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// The versions a Kubernetes 1.36 serves by default.
var served = []schema.GroupVersion{
	{Group: "", Version: "v1"},
	{Group: "admissionregistration.k8s.io", Version: "v1"},
	{Group: "apiextensions.k8s.io", Version: "v1"},
	{Group: "apiregistration.k8s.io", Version: "v1"},
	{Group: "apps", Version: "v1"},
	{Group: "authentication.k8s.io", Version: "v1"},
	{Group: "authorization.k8s.io", Version: "v1"},
	{Group: "autoscaling", Version: "v1"},
	{Group: "autoscaling", Version: "v2"},
	{Group: "batch", Version: "v1"},
	{Group: "certificates.k8s.io", Version: "v1"},
	{Group: "coordination.k8s.io", Version: "v1"},
	{Group: "discovery.k8s.io", Version: "v1"},
	{Group: "events.k8s.io", Version: "v1"},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1"},
	{Group: "networking.k8s.io", Version: "v1"},
	{Group: "node.k8s.io", Version: "v1"},
	{Group: "policy", Version: "v1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1"},
	{Group: "resource.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "storage.k8s.io", Version: "v1"},
}

const header = `// Published facts of Kubernetes v1.36 API types, one type a block, one field a line: JSON name, protobuf number,
// type, markers. Written by tools/facts; the notation is explained in ../schema/parse-facts.ts.
export const KUBERNETES_TYPES = ` + "`\n"

var special = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):                                "time",
	reflect.TypeOf(metav1.MicroTime{}):                           "microtime",
	reflect.TypeOf(metav1.Duration{}):                            "duration",
	reflect.TypeOf(metav1.FieldsV1{}):                            "fieldsv1",
	reflect.TypeOf(resource.Quantity{}):                          "quantity",
	reflect.TypeOf(intstr.IntOrString{}):                         "intorstring",
	reflect.TypeOf(runtime.RawExtension{}):                       "raw",
	reflect.TypeOf(apiextensions.JSON{}):                         "json",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrBool{}):        "schemaorbool",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrArray{}):       "schemaorarray",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrStringArray{}): "schemaorstrings",
}

type property struct {
	ListType *string  `json:"x-kubernetes-list-type"`
	MapKeys  []string `json:"x-kubernetes-list-map-keys"`
	MapType  *string  `json:"x-kubernetes-map-type"`
}

type definition struct {
	Required   []string            `json:"required"`
	MapType    *string             `json:"x-kubernetes-map-type"`
	Properties map[string]property `json:"properties"`
}

var definitions map[string]definition
var seen = map[reflect.Type]bool{}
var found []reflect.Type

func short(pkg string) string {
	parts := strings.Split(pkg, "/")
	return strings.Join(parts[len(parts)-2:], "/")
}

func definitionOf(t reflect.Type) definition {
	pkg := t.PkgPath()
	pkg = strings.TrimPrefix(pkg, "k8s.io/")
	parts := strings.Split(pkg, "/")
	root := strings.ReplaceAll(parts[0], ".", "-")
	_ = root
	name := "io.k8s." + strings.Join(parts, ".") + "." + t.Name()
	return definitions[name]
}

func typeName(t reflect.Type) string {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Struct:
		visit(t)
		return short(t.PkgPath()) + "." + t.Name()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		if t.Name() != "" && t.Elem().Kind() == reflect.String {
			return "items<" + typeName(t.Elem()) + ">"
		}
		return "[]" + typeName(t.Elem())
	case reflect.Map:
		return "{}" + typeName(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32:
		return "int32"
	case reflect.Int64, reflect.Int:
		return "int64"
	case reflect.Uint8:
		return "uint8"
	case reflect.Float64:
		return "double"
	}
	panic("no notation for " + t.String())
}

// goName is how Go prints the type a decoding error names: pointers are followed, named types keep their name.
func goName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.String()
}

// plainGoName is what a reader of the notation would guess.
func plainGoName(t reflect.Type) string {
	if _, ok := special[t]; ok {
		return t.String()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return plainGoName(t.Elem())
	case reflect.Struct:
		return t.String()
	case reflect.Slice:
		return "[]" + plainGoName(t.Elem())
	case reflect.Map:
		return "map[string]" + plainGoName(t.Elem())
	}
	return t.Kind().String()
}

func visit(t reflect.Type) {
	if !seen[t] {
		seen[t] = true
		found = append(found, t)
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			if f.Type == reflect.TypeOf(metav1.TypeMeta{}) {
				continue
			}
			if f.PkgPath == "" {
				typeName(f.Type)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var swagger struct {
		Definitions map[string]definition `json:"definitions"`
	}
	if err := json.Unmarshal(data, &swagger); err != nil {
		panic(err)
	}
	definitions = swagger.Definitions
	if err := apiregistration.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprint(out, header)
	defer fmt.Fprint(out, "`;\n")
	for _, t := range []any{metav1.Status{}, metav1.APIResourceList{}, metav1.DeleteOptions{}, metav1.ListMeta{}, metav1.PartialObjectMetadata{}, metav1.PartialObjectMetadataList{}, metav1.CreateOptions{}, metav1.UpdateOptions{}, metav1.PatchOptions{}, metav1.WatchEvent{}} {
		visit(reflect.TypeOf(t))
	}
	for _, gv := range served {
		for kind, t := range scheme.Scheme.KnownTypes(gv) {
			if strings.HasSuffix(kind, "Options") && strings.Contains(t.PkgPath(), "apimachinery") || kind == "WatchEvent" {
				continue
			}
			visit(t)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := short(found[i].PkgPath())+"."+found[i].Name(), short(found[j].PkgPath())+"."+found[j].Name()
		return a < b
	})
	for _, t := range found {
		def := definitionOf(t)
		fmt.Fprintf(out, "%s.%s", short(t.PkgPath()), t.Name())
		if def.MapType != nil && *def.MapType == "atomic" {
			fmt.Fprint(out, " atomic")
		}
		if f, ok := t.FieldByName("TypeMeta"); ok && f.Anonymous {
			fmt.Fprint(out, " typed")
		}
		fmt.Fprintln(out)
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			if f.Type == reflect.TypeOf(metav1.TypeMeta{}) || f.PkgPath != "" {
				continue
			}
			tag := strings.Split(f.Tag.Get("json"), ",")
			name := tag[0]
			inline := contains(tag[1:], "inline") || (f.Anonymous && name == "")
			if name == "-" {
				continue
			}
			as := ""
			number := "-"
			if pb := strings.Split(f.Tag.Get("protobuf"), ","); len(pb) > 1 {
				number = pb[1]
			}
			if inline {
				name = "~"
			}
			fmt.Fprintf(out, " %s %s %s", name, number, typeName(f.Type))
			if g := goName(f.Type); g != plainGoName(f.Type) {
				as = " as=" + g
			}
			if !contains(tag[1:], "omitempty") && !inline {
				fmt.Fprint(out, " always")
			}
			if contains(tag[1:], "omitzero") {
				fmt.Fprint(out, " omitzero")
			}
			if contains(def.Required, name) {
				fmt.Fprint(out, " required")
			}
			if p, ok := def.Properties[name]; ok {
				if p.ListType != nil {
					fmt.Fprintf(out, " list=%s", *p.ListType)
					if len(p.MapKeys) > 0 {
						fmt.Fprintf(out, "(%s)", strings.Join(p.MapKeys, "+"))
					}
				}
				if p.MapType != nil {
					fmt.Fprintf(out, " map=%s", *p.MapType)
				}
			}
			if s := f.Tag.Get("patchStrategy"); s != "" {
				fmt.Fprintf(out, " patch=%s", strings.ReplaceAll(s, ",", "+"))
			}
			if s := f.Tag.Get("patchMergeKey"); s != "" {
				fmt.Fprintf(out, " mergekey=%s", s)
			}
			fmt.Fprint(out, as, "\n")
		}
	}
}
