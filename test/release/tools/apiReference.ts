/**
 * `pnpm docs:api`: writes the API reference into `.api` with TypeDoc. With `--types-checked`, which takes half of the
 * time, it finds no type errors, and unions have their members in another order.
 */
import { basename, join } from "node:path"
import { Application, type TypeDocOptions } from "typedoc"
import type { PluginOptions } from "typedoc-plugin-markdown"
import { root } from "../../tools/paths.ts"
import { publicPackages } from "../../tools/workspace.ts"

const typesAreChecked = process.argv.includes("--types-checked")

export interface Input {
  readonly entryPoints: ReadonlyArray<string>
  readonly tsconfig: string
  readonly out: string
  /** Names of modules, by the names that TypeDoc takes from their paths. */
  readonly names: ReadonlyMap<string, string>
  /** Packages in which every export needs a doc comment. */
  readonly documented: ReadonlyArray<string>
}

/**
 * Writes a page for each module and prints warnings: broken `{@link}`s and missing doc comments.
 *
 * @returns the number of errors and warnings
 */
export const writeApiReference = async (input: Input): Promise<number> => {
  const options: TypeDocOptions & Partial<PluginOptions> = {
    plugin: ["typedoc-plugin-markdown"],
    name: "Countersign",
    entryPoints: [...input.entryPoints],
    tsconfig: input.tsconfig,
    out: input.out,
    // Without these, each service repeats the members that it inherits from Effect.
    excludeExternals: true,
    outputFileStrategy: "modules",
    disableSources: true,
    readme: "none",
    skipErrorChecking: typesAreChecked,
    packagesRequiringDocumentation: [...input.documented],
    requiredToBeDocumented: ["Class", "Function", "Interface", "TypeAlias", "Variable"],
    validation: { invalidLink: true, notDocumented: true, notExported: false },
  }
  const app = await Application.bootstrapWithPlugins(options)
  app.converter.on("resolveBegin", ({ project }) => {
    for (const module of project.children ?? []) {
      module.name = input.names.get(module.name) ?? module.name
    }
  })
  const project = await app.convert()
  if (project !== undefined) {
    app.validate(project)
    await app.generateOutputs(project)
  }
  return app.logger.errorCount + app.logger.warningCount
}

if (import.meta.main) {
  const packages = publicPackages()
  const problems = await writeApiReference({
    entryPoints: packages.map(({ path }) => join(path, "src/index.ts")),
    tsconfig: join(root, "test/release/tools/apiReference.tsconfig.json"),
    out: join(root, ".api"),
    names: new Map(packages.map(({ manifest, path }) => [`${basename(path)}/src`, manifest.name])),
    documented: [
      "countersign",
      "@countersign/better-auth",
      "@countersign/client",
      "@countersign/dashboard",
      "@countersign/express",
      "@countersign/fastify",
      "@countersign/hono",
      "@countersign/hooks",
      "@countersign/node",
      "@countersign/postgres",
      "@countersign/proofs",
    ],
  })
  process.exitCode = problems === 0 ? 0 : 1
}
