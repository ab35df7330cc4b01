/**
 * The bills of materials of a release: valid CycloneDX, with what the packages depend on, and nothing else.
 */
import { Spec, Validation } from "@cyclonedx/cyclonedx-library"
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, test } from "vitest"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { writeSboms } from "../tools/sbom.ts"
import { publicPackages } from "../tools/workspace.ts"

const folder = temporaryFolder("countersign-sboms-")
const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)

const Component = Schema.Struct({
  group: Schema.optionalKey(Schema.String),
  name: Schema.String,
  version: Schema.String,
})

const parse = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      metadata: Schema.Struct({ component: Component }),
      components: Schema.Array(Component),
    }),
  ),
)

const nameOf = ({ group, name }: typeof Component.Type): string =>
  group === undefined ? name : `${group}/${name}`

const text = (file: string): string => readFileSync(join(folder, file), "utf8")

beforeAll(() => writeSboms(folder))

describe("the bills of materials", () => {
  test("are valid, one of each package", async () => {
    const files = readdirSync(folder)
    const named = files.map((file) => parse(text(file)).metadata.component)
    assert.sameMembers(
      named.map(nameOf),
      publicPackages().map(({ manifest }) => manifest.name),
    )
    for (const file of files) assert.isNull(await validator.validate(text(file)), file)
  })

  test("list every dependency that is installed with a package, and none of its development", () => {
    const bills = new Map(
      readdirSync(folder).map((file) => {
        const { components, metadata } = parse(text(file))
        return [nameOf(metadata.component), components.map(nameOf)] as const
      }),
    )
    for (const { manifest } of publicPackages()) {
      const listed = [...(bills.get(manifest.name) ?? [])]
      assert.includeMembers(listed, Object.keys(manifest.dependencies ?? {}))
      assert.notInclude(listed, "vitest", manifest.name)
      assert.notInclude(listed, "typescript", manifest.name)
    }
  })
})

test("the validator refuses a bill with a wrong field", async () => {
  const [file = ""] = readdirSync(folder)
  const wrong = text(file).replace('"specVersion"', '"specVersions"')
  assert.isNotNull(await validator.validate(wrong))
})
