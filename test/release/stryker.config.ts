/** StrykerJS changes the rules of `core`; `test/Mutations.soak.test.ts` runs it in a copy of the sources. */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/release/stryker.vitest.config.ts", related: false },
  // Another copy would import its packages from the first.
  inPlace: true,
  coverageAnalysis: "perTest",
  // What runs while a module loads, such as a table of limits, needs a new vitest for each mutant: a quarter of
  // the mutants took three quarters of the time.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 30_000,
  reporters: ["clear-text"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  allowConsoleColors: false,
  thresholds: { high: 95, low: 90, break: 90 },
}
