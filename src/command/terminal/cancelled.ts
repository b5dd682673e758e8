// Ctrl-C at a question: everything stays as it is.

export class Cancelled extends Error {}
