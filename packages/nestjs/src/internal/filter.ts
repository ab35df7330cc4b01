import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from "@nestjs/common"
import { HttpAdapterHost } from "@nestjs/core"
import { CountersignError, errorResponse } from "countersign"

/** Answers errors of the engine with status, headers and body of `errorResponse`. Other transports get the error. */
export class CountersignErrorFilter implements ExceptionFilter<CountersignError> {
  readonly #host: HttpAdapterHost

  constructor(host: HttpAdapterHost) {
    this.#host = host
  }

  catch(error: CountersignError, host: ArgumentsHost): void {
    if (host.getType() !== "http") throw error
    const { httpAdapter } = this.#host
    const response: unknown = host.switchToHttp().getResponse()
    const { body, headers, status } = errorResponse(error)
    for (const [name, value] of Object.entries(headers)) {
      httpAdapter.setHeader(response, name, value)
    }
    httpAdapter.reply(response, body, status)
  }
}

Catch(CountersignError)(CountersignErrorFilter)
Inject(HttpAdapterHost)(CountersignErrorFilter, undefined, 0)
