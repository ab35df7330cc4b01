/** The package has no declarations. */
declare module "@logto/connector-http-sms" {
  interface Message {
    readonly to: string
    readonly type: string
    readonly payload: { readonly code?: string; readonly link?: string; readonly locale?: string }
  }
  interface Connector {
    readonly sendMessage: (message: Message) => Promise<unknown>
  }
  const createConnector: (context: {
    readonly getConfig: (id: string) => Promise<unknown>
  }) => Promise<Connector>
  export default createConnector
}
