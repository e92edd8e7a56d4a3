// kubectl of the release everynode speaks, built from its published module for the tests (scripts/get-kubectl.mjs).
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
