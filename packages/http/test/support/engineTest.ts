import * as TestEngine from "@countersign/testing/TestEngine"
import { testsOver } from "../../../../test/support/testsOver.ts"

/** Defines tests on the engine in memory, with the defaults of all options. */
export const engineTest = testsOver(TestEngine.layer()).effect
