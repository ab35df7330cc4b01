/**
 * Aggregators and operators of Bangladesh. None of them reports; Alpha SMS can be asked.
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

/** SSL Wireless (iSMS Plus). */
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

/** BulkSMSBD. */
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

/** Alpha SMS. It is asked what became of a message. */
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

/** MimSMS. */
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

/** Grameenphone's Corporate Messaging Platform. */
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

/** Robi. */
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

/** Banglalink. */
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
