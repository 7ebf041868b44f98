// The calls of the detector, by the names of the protocol.
import { version } from './assets.mjs';
import { testCmd } from './commands.mjs';
import { detect } from './detect.mjs';
import { rerunCmd } from './rerun.mjs';
import { parseTestFailures } from './stream.mjs';

export const detector = {
  Describe: () => ({
    name: 'node',
    version,
    language: 'node',
    aliases: ['javascript', 'js'],
    markers: ['package.json'],
    tools: ['node'],
    selectors: ['SELECTOR_SUITES', 'SELECTOR_PATH_PATTERN', 'SELECTOR_TEST_PATTERN'],
    probes: [{ name: 'version', argv: ['node', '--version'] }],
    toolDirs: ['/usr/local/bin', '/opt/homebrew/bin', '~/.volta/bin', '~/.local/bin'],
  }),
  Detect: detect,
  TestCmd: testCmd,
  RerunCmd: rerunCmd,
  ParseTestFailures: parseTestFailures,
};
