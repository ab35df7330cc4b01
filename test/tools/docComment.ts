/** A documentation comment of at most 120 columns. */
export const docComment = (text: string, indent: string): string => {
  const line = `${indent}/** ${text} */`
  if (line.length <= 120) return line
  const lines = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    const longer = last === "" ? word : `${last} ${word}`
    if (last !== "" && `${indent} * ${longer}`.length > 120) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return [`${indent}/**`, ...lines.map((one) => `${indent} * ${one}`), `${indent} */`].join("\n")
}
