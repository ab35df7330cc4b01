import {
  type BeforeApplicationShutdown,
  ConfigurableModuleBuilder,
  Inject,
  Module,
} from "@nestjs/common"
import { APP_FILTER, HttpAdapterHost, ModulesContainer } from "@nestjs/core"
import { ConfigurationError, type CountersignOptions, createCountersign } from "countersign"
import { createProofVerifier, type ProofVerifierOptions } from "countersign/proofs"
import { isDeepStrictEqual } from "node:util"
import { CountersignErrorFilter } from "./filter.ts"
import { PROOF_VERIFIER } from "./guard.ts"
import { CountersignService } from "./service.ts"

/** The options of the module, beside the options of the engine or `useFactory`. */
export interface ModuleExtras {
  /** Whether all modules can inject the engine. @defaultValue `true` */
  readonly isGlobal?: boolean | undefined
  /** The public keys and the claims of the proofs that `@VerifiedPhone` accepts. @defaultValue it accepts none */
  readonly acceptProofs?: ProofVerifierOptions | undefined
}

const extras: ModuleExtras = { isGlobal: true, acceptProofs: undefined }

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<CountersignOptions>({ moduleName: "Countersign" })
    .setClassMethodName("forRoot")
    .setFactoryMethodName("createCountersignOptions")
    .setExtras(extras, (definition, { acceptProofs, isGlobal }) => ({
      ...definition,
      global: isGlobal ?? true,
      providers: [
        ...(definition.providers ?? []),
        {
          provide: PROOF_VERIFIER,
          useValue: acceptProofs === undefined ? null : createProofVerifier(acceptProofs),
        },
      ],
    }))
    .build()

interface Started {
  readonly options: CountersignOptions
  readonly engine: Promise<CountersignService>
}

/** The engine of each application, however many of its modules import this one. */
const engines = new WeakMap<ModulesContainer, Started>()

const engineOf = (
  options: CountersignOptions,
  application: ModulesContainer,
): Promise<CountersignService> => {
  const known = engines.get(application)
  if (known === undefined) {
    const engine = createCountersign(options)
    engines.set(application, { options, engine })
    return engine
  }
  if (isDeepStrictEqual(known.options, options)) return known.engine
  throw new ConfigurationError(
    "CountersignModule: two imports have different options. Import it once, in the root module: it is global.",
  )
}

/**
 * Makes the engine when the application starts, and ends it when the application stops. It is global, and all imports
 * share one engine. Answers of rejected calls come from a global filter.
 */
export class CountersignModule
  extends ConfigurableModuleClass
  implements BeforeApplicationShutdown
{
  readonly #countersign: CountersignService
  readonly #host: HttpAdapterHost

  constructor(countersign: CountersignService, host: HttpAdapterHost) {
    super()
    this.#countersign = countersign
    this.#host = host
  }

  /** Nest calls it before it closes the server. */
  beforeApplicationShutdown(): Promise<void> {
    // An application context has no adapter.
    const { httpAdapter }: { readonly httpAdapter?: HttpAdapterHost["httpAdapter"] } = this.#host
    return this.#countersign.shutdown({ server: httpAdapter?.getHttpServer() })
  }
}

// As decorators would. Node runs the sources of this repository as they are, and knows no decorators.
Module({
  providers: [
    {
      provide: CountersignService,
      inject: [MODULE_OPTIONS_TOKEN, ModulesContainer],
      useFactory: engineOf,
    },
    { provide: APP_FILTER, useClass: CountersignErrorFilter },
  ],
  exports: [CountersignService, PROOF_VERIFIER],
})(CountersignModule)
Inject(CountersignService)(CountersignModule, undefined, 0)
Inject(HttpAdapterHost)(CountersignModule, undefined, 1)
