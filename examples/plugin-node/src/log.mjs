// Logs for the host: one JSON object a line on standard error, as hclog writes.
import { writeSync } from 'node:fs';
import { format } from 'node:util';

const levels = ['trace', 'debug', 'info', 'warn', 'error'];
const asked = levels.indexOf(process.env.PROCTOR_PLUGIN_LOG);
const least = asked < 0 ? levels.indexOf('info') : asked;

export const log = Object.fromEntries(
  levels.map((level, rank) => [
    level,
    (message, fields = {}) => {
      if (rank >= least) writeEntry({ '@level': level, '@message': message, '@timestamp': new Date().toISOString(), ...fields });
    },
  ]),
);

// guardStdout redirects what a library prints to the log: standard output belongs to the
// handshake.
export function guardStdout() {
  for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace']) {
    console[name] = (...values) => log.warn(format(...values));
  }
  process.stdout.write = (chunk, encoding, done) => {
    log.warn(String(chunk).trimEnd());
    const after = typeof encoding === 'function' ? encoding : done;
    if (typeof after === 'function') after();
    return true;
  };
}

function writeEntry(entry) {
  try {
    writeSync(2, `${JSON.stringify(entry)}\n`);
  } catch {
    // Nobody reads the logs any more; the plugin continues without them.
  }
}
