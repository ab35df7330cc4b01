/**
 * Aggregators and operators of Bangladesh. They send no reports. The gateway to Alpha SMS polls for outcomes.
 */
import type {
  AlphaSmsOptions,
  BanglalinkOptions,
  BulkSmsBdOptions,
  GrameenphoneOptions,
  MimSmsOptions,
  RobiOptions,
  SslWirelessOptions,
  VendorGateway,
} from "../vendorTypes.ts"
import { load } from "./load.ts"
import { vendor } from "./vendorFactory.ts"

/** Creates a gateway to SSL Wireless (iSMS Plus). */
export const sslWireless = (options: SslWirelessOptions): VendorGateway =>
  vendor("ssl-wireless", options, (settings) => {
    settings.atLeast("tokenMillis", options.tokenMillis, 0)
    const made = {
      ...options,
      apiToken: settings.secret("apiToken", options.apiToken),
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/SslWireless"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to BulkSMSBD. */
export const bulkSmsBd = (options: BulkSmsBdOptions): VendorGateway =>
  vendor("bulksmsbd", options, (settings) => {
    const made = {
      ...options,
      apiKey: settings.secret("apiKey", options.apiKey),
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/BulkSmsBd"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to Alpha SMS. It polls for the outcomes of messages. */
export const alphaSms = (options: AlphaSmsOptions): VendorGateway =>
  vendor("alpha-sms", options, (settings) => {
    const made = {
      ...options,
      poll: settings.poll(options.poll),
      apiKey: settings.secret("apiKey", options.apiKey),
      baseUrl: settings.optionalUrl("baseUrl", options.baseUrl),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/AlphaSms"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to MimSMS. */
export const mimSms = (options: MimSmsOptions): VendorGateway =>
  vendor("mimsms", options, (settings) => {
    const made = {
      ...options,
      userName: settings.text("userName", options.userName),
      apiKey: settings.secret("apiKey", options.apiKey),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/MimSms"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to Grameenphone's Corporate Messaging Platform. */
export const grameenphone = (options: GrameenphoneOptions): VendorGateway =>
  vendor("grameenphone", options, (settings) => {
    const made = {
      ...options,
      username: settings.text("username", options.username),
      password: settings.secret("password", options.password),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/Grameenphone"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to Robi. */
export const robi = (options: RobiOptions): VendorGateway =>
  vendor("robi", options, (settings) => {
    const made = {
      ...options,
      username: settings.text("username", options.username),
      password: settings.secret("password", options.password),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/Robi"),
          ({ make }) => make(made),
        ),
    }
  })

/** Creates a gateway to Banglalink. */
export const banglalink = (options: BanglalinkOptions): VendorGateway =>
  vendor("banglalink", options, (settings) => {
    const made = {
      ...options,
      userId: settings.text("userId", options.userId),
      password: settings.secret("password", options.password),
    }
    return {
      make: () =>
        load(
          () => import("@countersign/gateways/Banglalink"),
          ({ make }) => make(made),
        ),
    }
  })
