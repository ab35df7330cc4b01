import type { Countersign } from "countersign"

/** The running engine, by which classes of Nest get it: `constructor(private readonly countersign: CountersignService)`. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- A class is the token of Nest, and the engine is no instance of it.
export interface CountersignService extends Countersign {}

/** The token. Nest makes the engine, and no instance of this class. */
export abstract class CountersignService {}
