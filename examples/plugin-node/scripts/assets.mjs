// Writes src/assets.mjs, a module with the texts that are part of the plugin, so that the
// bundle and the tests read the same.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(`../${path}`, import.meta.url);

// The protocol is in proctor's repository. In a repository of your own, copy the file into
// proto.
const own = 'proto/detector.proto';
const texts = {
  detectorProto: existsSync(at(own)) ? own : '../../sdk/detectorpb/proctor/detector/v1/detector.proto',
  pluginProto: 'proto/plugin.proto',
  reporter: 'runner/reporter.mjs',
  preload: 'runner/preload.cjs',
};

const lines = Object.entries(texts).map(
  ([name, path]) => `export const ${name} = ${JSON.stringify(readFileSync(at(path), 'utf8'))};\n`,
);
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
lines.push(`export const version = ${JSON.stringify(version)};\n`);
writeFileSync(at('src/assets.mjs'), lines.join(''));
