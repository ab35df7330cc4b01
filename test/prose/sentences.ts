/** The sentences of documents and doc comments that are hard to read. `rules/sentences.ts` reports them. */

/** Longest sentence, in words. A number is not a word. */
const maxWords = 25

const programs =
  "adapter|adapters|app|browser|client|command|dashboard|database|engine|gateway|gateways|host|library|" +
  "login|mount|node|nodes|page|process|program|router|server|service|store|stores|test|tests|tool|vendor"

const patterns: ReadonlyArray<readonly [pattern: RegExp, hint: string]> = [
  [/\b(that|those) of\b/i, 'repeat the noun instead of "that of" or "those of"'],
  [/\bone for (?!each\b|every\b|all\b|now\b)/i, 'repeat the noun instead of "one for"'],
  [/^(What|Who)\b[^?]*\.$/, 'begin with the noun, as in "a caller that", not with "What" or "Who"'],
  [/\bsays? so\b/i, 'say what happens instead of "says so"'],
  [
    new RegExp(String.raw`\b(${programs}) (tells?|wants?|hears?|knows?)\b`, "i"),
    "programs return, need, receive and store: name what this one does",
  ],
  [/\bslowest (hundredth|percent)\b/i, "write p99"],
  [/\bas well[.;]?$/i, 'begin with "also" instead of ending with "as well"'],
]

/** A period ends a sentence before a capital letter or a digit; `12.5` and `README.md` go on. */
const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.replaceAll(/\s+/g, " ").split(/(?<=[.?!]["”)]?) (?=["“(]?[\p{Lu}\d])/u)

const wordsIn = (sentence: string): number =>
  sentence.split(" ").filter((word) => /\p{L}/u.test(word)).length

/** The problems of a paragraph or of the cell of a table, whose code spans are the word `Code`. */
export const problemsOf = (text: string): ReadonlyArray<string> =>
  sentencesOf(text.trim()).flatMap((sentence) => {
    const words = wordsIn(sentence)
    const start = sentence.split(" ", 6).join(" ")
    return [
      ...(words > maxWords ? [`"${start} …" has ${words} words, more than ${maxWords}`] : []),
      ...patterns.flatMap(([pattern, hint]) =>
        pattern.test(sentence) ? [`"${start} …": ${hint}`] : [],
      ),
    ]
  })

/** The paragraphs of the doc comments of a source, each with the index of its comment. */
export const docParagraphs = (
  source: string,
): ReadonlyArray<{ readonly index: number; readonly text: string }> =>
  [...source.matchAll(/\/\*\*(.*?)\*\//gs)].flatMap(({ 1: comment = "", index }) =>
    comment
      .replaceAll(/^\s*\* ?/gm, "")
      .replaceAll(/```.*?```/gs, "")
      .replaceAll(/`[^`]*`|\{@link [^}]*\}/g, "Code")
      .split(/\n\s*\n|\n(?=- )|^@\w+|\s@\w+/gm)
      .map((text) => ({ index, text })),
  )
