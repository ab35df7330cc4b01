import { assert, test } from "vitest"
import * as fc from "fast-check"
import * as Template from "../../../src/internal/http-gateway/template.ts"

/** Text with many characters that have a special meaning in some format. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...`{ } {{ {to} & &amp; < > " ' % %20 + \\`.split(" ")),
    fc.string({ unit: "grapheme", maxLength: 2 }),
  ),
})

const filled = (template: string, value: string, encode: (value: string) => string): string =>
  Template.render(template, () => value, encode)

test("a value round-trips through a URL", () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const url = new URL(filled("http://vendor/{a}/x?v={b}&w={c}", value, Template.url))
      assert.strictEqual(url.searchParams.get("v"), value)
      assert.strictEqual(url.searchParams.get("w"), value)
      assert.strictEqual(url.hash, "")
    }),
  )
})

test("a value round-trips through JSON", () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const json = Template.mapTexts({ list: [{ a: "<{a}>" }], n: 1 }, (text) =>
        filled(text, value, Template.plain),
      )
      assert.deepStrictEqual(JSON.parse(JSON.stringify(json)), {
        list: [{ a: `<${value}>` }],
        n: 1,
      })
    }),
  )
})

test("a value round-trips through XML, and closes no tag and no attribute", () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const encoded = filled("{a}", value, Template.xml)
      assert.notMatch(encoded, /[<>"']/)
      assert.strictEqual(Template.fromXml(encoded), value)
    }),
  )
})

test("a value is never searched for placeholders", () => {
  fc.assert(
    fc.property(nasty, (value) => {
      const names: Array<string> = []
      Template.render(
        "{a}{b}",
        (name) => {
          names.push(name)
          return value
        },
        Template.plain,
      )
      assert.deepStrictEqual(names, ["a", "b"])
    }),
  )
})

const rows = [
  ["{a}", ["a"], false],
  ["{a}{b_2}", ["a", "b_2"], false],
  ["{{a}}", [], false],
  ["{{{a}}}", ["a"], false],
  ["{ a }", [], true],
  ["{", [], true],
  ["a}", [], true],
  ["", [], false],
] as const

test.each(rows)(
  "%j has the placeholders %j, and an unmatched brace: %s",
  (template, names, isTorn) => {
    assert.deepStrictEqual(Template.namesIn(template), [...names])
    assert.strictEqual(Template.isTorn(template), isTorn)
  },
)

test("entities of XML are decoded, and invalid ones stay", () => {
  assert.strictEqual(
    Template.fromXml("&lt;b&gt; &amp;amp; &#49;&#x32; &apos;&quot; &nbsp; &#1114112; & &#0;"),
    "<b> &amp; 12 '\" &nbsp; &#1114112; & &#0;",
  )
})
