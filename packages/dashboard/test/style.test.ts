/** The style sheets keep the scales of the design, and text keeps its contrast (WCAG 2.2) in both themes. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"

const folder = join(import.meta.dirname, "../app/style")

const sheets = globSync("*.css", { cwd: folder }).map((name) => ({
  name,
  css: readFileSync(join(folder, name), "utf8"),
}))

/** The declarations of a property in all sheets, each with its place. */
const declarations = (property: RegExp): ReadonlyArray<readonly [place: string, value: string]> =>
  sheets.flatMap(({ css, name }) =>
    [...css.matchAll(/^\s*([\w-]+):\s*([^;{]+);/gm)].flatMap(([, found = "", value = ""]) =>
      property.test(found) ? [[`${name}: ${found}: ${value}`, value] as const] : [],
    ),
  )

it.each([
  ["font sizes", /^font-size$/, /^(var\(--size-small\)|13px|14px|16px|20px|24px|inherit)$/, 20],
  ["weights", /^font-weight$/, /^(400|600)$/, 10],
  [
    "spaces",
    /^(padding|margin|gap|row-gap|column-gap)(-[a-z]+)*$/,
    /^(calc\(.*\)|((-?[012](px)?|auto|var\(--space-[1-7]\)) ?)+)$/,
    60,
  ],
] as const)("%s are those of the scale", (_, property, allowed, least) => {
  const found = declarations(property)
  assert.isAtLeast(found.length, least)
  assert.deepStrictEqual(
    found.filter(([, value]) => !allowed.test(value)).map(([place]) => place),
    [],
  )
})

type Color = readonly [red: number, green: number, blue: number]

const tokens = new Map(
  declarations(/^--/).flatMap(([place, value]) => {
    const [, light = "", dark = ""] =
      /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value) ?? []
    const [, name = ""] = /: (--[\w-]+)/.exec(place) ?? []
    return light === "" ? [] : [[name, { light, dark }] as const]
  }),
)

const colorOf = (name: string, theme: "light" | "dark"): Color => {
  const hex = tokens.get(name)?.[theme] ?? assert.fail(`${name} is no color of both themes`)
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
  return [red, green, blue]
}

/** A color of which a share covers another one. */
const over = (top: Color, share: number, below: Color): Color => {
  const [red = 0, green = 0, blue = 0] = top.map(
    (value, index) => share * value + (1 - share) * (below[index] ?? 0),
  )
  return [red, green, blue]
}

const luminance = (color: Color): number => {
  const [red = 0, green = 0, blue = 0] = color
    .map((value) => value / 255)
    .map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: Color, other: Color): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const pages = ["--background", "--surface", "--surface-raised", "--navigation"]

/** The least contrast of a color on each background that it is used on. */
const pairs: ReadonlyArray<readonly [color: string, backgrounds: ReadonlyArray<string>, number]> = [
  ["--text", [...pages, "--neutral-soft"], 7],
  ["--text-muted", [...pages, "--neutral-soft"], 4.5],
  ["--accent", pages, 4.5],
  ["--accent-text", ["--accent"], 4.5],
  ["--bad-text", ["--bad"], 4.5],
  ["--good", ["--good-soft", "--surface"], 4.5],
  ["--bad", ["--bad-soft", "--surface"], 4.5],
  ["--warn", ["--warn-soft", "--surface"], 4.5],
  ["--info", ["--info-soft", "--surface"], 4.5],
  ["--input-border", pages, 3],
  ["--previous", ["--surface"], 4.5],
  ["--series-4", ["--surface"], 4.5],
]

for (const theme of ["light", "dark"] as const) {
  it.each(pairs)(
    `%s is readable on %j in the ${theme} theme: at least %d`,
    (name, grounds, least) => {
      for (const ground of grounds)
        assert.isAtLeast(contrast(colorOf(name, theme), colorOf(ground, theme)), least, ground)
    },
  )

  it(`text is readable on what is selected or under the pointer in the ${theme} theme`, () => {
    const [text, accent] = [colorOf("--text", theme), colorOf("--accent", theme)]
    for (const page of pages) {
      const below = colorOf(page, theme)
      assert.isAtLeast(contrast(text, over(accent, 0.12, below)), 7, page)
      assert.isAtLeast(contrast(text, over(text, 0.07, below)), 7, page)
    }
  })
}

it("black on white has the contrast of the standard, and a color none to itself", () => {
  assert.strictEqual(contrast([0, 0, 0], [255, 255, 255]), 21)
  assert.strictEqual(contrast([90, 91, 92], [90, 91, 92]), 1)
})
