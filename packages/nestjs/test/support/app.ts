import { Body, Controller, Get, Inject, Module, Param, Post } from "@nestjs/common"
import type { NestApplicationOptions } from "@nestjs/common/interfaces/nest-application-options.interface.js"
import { type DynamicModule, type INestApplication, type Type } from "@nestjs/common"
import { ExpressAdapter } from "@nestjs/platform-express"
import { FastifyAdapter } from "@nestjs/platform-fastify"
import { Test } from "@nestjs/testing"
import { type CountersignOptions, createTestClock, developmentGateway } from "countersign"
import { onTestFinished } from "vitest"
import {
  CountersignService,
  Verified,
  VerifiedPhone,
  type VerifiedRequest,
} from "../../src/index.ts"

export const adapters = {
  express: () => new ExpressAdapter(),
  fastify: () => new FastifyAdapter(),
}

/** Decorators of a method, without their syntax, which Node does not run. */
const decorate = <C>(
  target: Type<C>,
  method: keyof C & string,
  decorators: ReadonlyArray<MethodDecorator>,
  parameters: ReadonlyArray<ParameterDecorator> = [],
): void => {
  const { prototype }: { readonly prototype: object } = target
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method) ?? {}
  parameters.forEach((parameter, index) => parameter(prototype, method, index))
  for (const decorator of decorators) decorator(prototype, method, descriptor)
}

export class Payments {
  readonly #countersign: CountersignService

  constructor(countersign: CountersignService) {
    this.#countersign = countersign
  }

  async send(phoneNumber: string, purpose: string) {
    const { requestId } = await this.#countersign.verifications.send({ phoneNumber, purpose })
    return { requestId }
  }

  async check(requestId: string, code: string, purpose: string) {
    await this.#countersign.verifications.check({ requestId, code, purpose })
    return {}
  }

  pay(verified: VerifiedRequest, amount: string) {
    return { verified, amount }
  }

  fails(): never {
    throw new TypeError("A bug")
  }
}

Controller("payments")(Payments)
Inject(CountersignService)(Payments, undefined, 0)
decorate(Payments, "send", [Post("send")], [Body("phoneNumber"), Body("purpose")])
decorate(Payments, "check", [Post("check")], [Body("requestId"), Body("code"), Body("purpose")])
decorate(
  Payments,
  "pay",
  [Post("pay/:amount"), VerifiedPhone("payment")],
  [Verified(), Param("amount")],
)
decorate(Payments, "fails", [Get("fails")])

/** An engine in memory, the messages that it sends, and its clock. */
export const engine = () => {
  const gateway = developmentGateway()
  const clock = createTestClock()
  const options: CountersignOptions = {
    database: "memory",
    production: false,
    secret: "a secret of the tests, which is long enough",
    gateways: { sms: gateway },
    clock,
    log: () => {},
  }
  return { clock, gateway, options }
}

/** Starts an application with these imports, until the test ends. */
export const start = async (
  adapter: keyof typeof adapters,
  imports: ReadonlyArray<DynamicModule | Type>,
  prepare: (app: INestApplication) => void = () => {},
  options: NestApplicationOptions = {},
) => {
  class App {}
  Module({ imports: [...imports], controllers: [Payments] })(App)
  const made = await Test.createTestingModule({ imports: [App] }).compile()
  const app = made.createNestApplication(adapters[adapter](), { logger: false, ...options })
  onTestFinished(() => app.close())
  prepare(app)
  await app.listen(0, "127.0.0.1")
  const origin = await app.getUrl()
  const call = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init =
      body === undefined
        ? { headers }
        : {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify(body),
          }
    const response = await fetch(origin + path, init)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: () => JSON.parse(text),
    }
  }
  return { app, call, countersign: app.get(CountersignService) }
}
