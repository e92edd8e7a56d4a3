/** `everynode render`: the objects a manifest stands for. Secrets stay masked unless a flag asks for them. */
import { printObjects } from '../core/component/print/print-yaml.ts';
import { revealed } from '../core/component/render/render.ts';
import type { RenderFlags } from './component/flags.ts';
import { prepareInputs, prepareWithSecrets } from './component/prepare.ts';
import { kubectlNameOf } from './component/text.ts';

export async function render(flags: RenderFlags): Promise<void> {
  const showSecrets = flags.showSecrets === true;
  const components = await (showSecrets ? prepareWithSecrets(flags) : prepareInputs(flags));
  const objects = components.flatMap(({ rendered }) => rendered.objects);
  switch (flags.output) {
    case 'name':
      process.stdout.write(objects.map((object) => `${kubectlNameOf(object)}\n`).join(''));
      return;
    case 'json': {
      const items = showSecrets ? revealed(objects) : objects;
      process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
      return;
    }
    case 'yaml':
      process.stdout.write(printObjects(objects, { showSecrets }));
  }
}
