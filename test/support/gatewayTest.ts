import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import { testsOver } from "./testsOver.ts"

/** Tests with the services that adapters need. */
export const test = testsOver(GatewaySuite.platform).effect
