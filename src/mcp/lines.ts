// Lines out of a stream of bytes. A line that is too long is never held: it is dropped as it arrives, and said to be so.

export type Line =
  | { readonly kind: "text"; readonly text: string; readonly bytes: number }
  | { readonly kind: "too-long" }
  | { readonly kind: "not-utf8" };

const newline = 10;

export async function* linesIn(input: AsyncIterable<Uint8Array>, mostBytes: number): AsyncIterable<Line> {
  let [held, bytes, dropping]: [Uint8Array[], number, boolean] = [[], 0, false];
  const take = (): Line => {
    const line: Line = dropping ? { kind: "too-long" } : decoded(Buffer.concat(held));
    [held, bytes, dropping] = [[], 0, false];
    return line;
  };
  const hold = (part: Uint8Array) => {
    bytes += part.length;
    dropping ||= bytes > mostBytes;
    if (dropping) held = [];
    else held.push(part);
  };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      hold(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    hold(chunk.subarray(from));
  }
  if (bytes > 0) yield take();
}

function decoded(line: Uint8Array): Line {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
    return { kind: "text", text, bytes: line.length };
  } catch {
    return { kind: "not-utf8" };
  }
}
