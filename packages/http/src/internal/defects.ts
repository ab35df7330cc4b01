/**
 * Describes a defect for a log: its kind and its origin. Omits its message, which may quote the caller's input.
 */
export const describeDefect = (
  defect: unknown,
): { readonly defect: string; readonly at: ReadonlyArray<string> } => {
  if (!(defect instanceof Error)) return { defect: typeof defect, at: [] }
  const frames = (defect.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return { defect: defect.name, at: frames.map((line) => line.trim()).slice(0, 10) }
}
