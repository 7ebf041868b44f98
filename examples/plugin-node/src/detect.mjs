// Detect: is this directory a project whose tests node --test runs?
import { closeSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTestFile, walk } from './glob.mjs';
import { nodeTest, otherRunner, readPackage } from './project.mjs';

const headBytes = 16 * 1024; // imports stand at the top
const maxLooks = 500; // files opened before giving up

export function detect({ workspace }) {
  const root = workspace.root;
  const pkg = readPackage(root);
  if (!pkg) return { detected: false };
  if (nodeTest(pkg)) return { detected: true };
  const runner = otherRunner(pkg);
  if (!runner && usesNodeTest(root)) return { detected: true };
  const untested = nested(root);
  if (runner) {
    untested.unshift({
      path: '.',
      reason: `package.json tests with ${runner}, which this plugin does not run; a script with "node --test" would be taken`,
    });
  }
  return { detected: false, untested };
}

// usesNodeTest looks for a test file that imports node:test.
function usesNodeTest(root) {
  let looks = maxLooks;
  let found = false;
  walk(root, (path) => {
    if (!isTestFile(path)) return true;
    found = /['"]node:test['"]/.test(head(join(root, path)));
    return !found && --looks > 0;
  });
  return found;
}

// nested finds packages below the root that could be tested by themselves.
function nested(root) {
  const out = [];
  walk(root, (path) => {
    if (path !== 'package.json' && path.endsWith('/package.json') && nodeTest(readPackage(join(root, dirname(path))))) {
      out.push({ path: dirname(path), reason: 'a package of its own: run proctor in it' });
    }
    return out.length < 100;
  });
  return out;
}

function head(path) {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(headBytes);
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, headBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
