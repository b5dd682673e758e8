// What can go wrong, in words for the person at the keyboard.

/** Trouble with the world, such as a file that can not be read. */
export class Failure extends Error {
  status = 1;
}

/** Something on the command line that makes no sense. */
export class Mistake extends Failure {
  status = 2;
}

/** Says it in one line and returns the exit status. Any other error is a bug and keeps its stack. */
export function report(error, stderr) {
  if (!(error instanceof Failure)) throw error;
  stderr.write(`notes: ${error.message}\n`);
  return error.status;
}
