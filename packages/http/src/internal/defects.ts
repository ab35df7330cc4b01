/**
 * What may be said of a defect in a log: its kind and where it came from. Its
 * message may quote what a caller has sent, and is left out.
 */
export const describeDefect = (
  defect: unknown,
): { readonly defect: string; readonly at: ReadonlyArray<string> } => {
  if (!(defect instanceof Error)) return { defect: typeof defect, at: [] }
  const frames = (defect.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return { defect: defect.name, at: frames.map((line) => line.trim()).slice(0, 10) }
}
