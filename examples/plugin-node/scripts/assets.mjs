// Writes src/assets.mjs: the texts that travel inside the plugin, as a module,
// so that the bundle and the tests read the same.
import { readFileSync, writeFileSync } from 'node:fs';

const texts = {
  detectorProto: 'proto/detector.proto',
  pluginProto: 'proto/plugin.proto',
  reporter: 'runner/reporter.mjs',
  preload: 'runner/preload.cjs',
};

const at = (path) => new URL(`../${path}`, import.meta.url);
const lines = Object.entries(texts).map(
  ([name, path]) => `export const ${name} = ${JSON.stringify(readFileSync(at(path), 'utf8'))};\n`,
);
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
lines.push(`export const version = ${JSON.stringify(version)};\n`);
writeFileSync(at('src/assets.mjs'), lines.join(''));
