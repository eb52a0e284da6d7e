// What clients' actions say of themselves in the demo data: type, actor, source and summary per language.
import type { ActorType, Language } from "../SeedRows.ts"

export interface ActionText {
  readonly type: string
  readonly actorType: ActorType
  readonly source: string
  readonly subjectAlias: string | null
  readonly summary: Readonly<Record<Language, string>>
}

export const actionTexts: ReadonlyArray<ActionText> = [
  {
    type: "order.created",
    actorType: "client",
    source: "shop",
    subjectAlias: "orders",
    summary: {
      en: "Order {order}: {product}, {price}",
      uk: "Замовлення {order}: {product}, {price}",
      ru: "Заказ {order}: {product}, {price}"
    }
  },
  {
    type: "page.viewed",
    actorType: "client",
    source: "web",
    subjectAlias: "tariffs",
    summary: {
      en: "Looked at the tariff {planNew}",
      uk: "Дивиться тариф {planNew}",
      ru: "Смотрит тариф {planNew}"
    }
  },
  {
    type: "cart.abandoned",
    actorType: "client",
    source: "shop",
    subjectAlias: "orders",
    summary: {
      en: "Left a cart: {product}, {price}",
      uk: "Кошик без оплати: {product}, {price}",
      ru: "Корзина без оплаты: {product}, {price}"
    }
  },
  {
    type: "payment.failed",
    actorType: "system",
    source: "billing",
    subjectAlias: "billing",
    summary: {
      en: "Payment of {amount} from card *{last4} was declined by the bank",
      uk: "Банк відхилив платіж {amount} з картки *{last4}",
      ru: "Банк отклонил платёж {amount} с карты *{last4}"
    }
  },
  {
    type: "payment.received",
    actorType: "system",
    source: "billing",
    subjectAlias: "billing",
    summary: {
      en: "Received {amount} from card *{last4}",
      uk: "Надійшло {amount} з картки *{last4}",
      ru: "Поступило {amount} с карты *{last4}"
    }
  },
  {
    type: "service.suspended",
    actorType: "system",
    source: "billing",
    subjectAlias: "billing",
    summary: {
      en: "Service of {contract} paused: debt {amount}",
      uk: "Послугу за {contract} призупинено: борг {amount}",
      ru: "Услуга по {contract} приостановлена: долг {amount}"
    }
  },
  {
    type: "call.ended",
    actorType: "operator",
    source: "telephony",
    subjectAlias: "internet",
    summary: {
      en: "Called {phone} about the visit to {address}",
      uk: "Дзвінок на {phone} щодо візиту, {address}",
      ru: "Звонок на {phone} по визиту, {address}"
    }
  },
  {
    type: "discount.granted",
    actorType: "operator",
    source: "crm",
    subjectAlias: "tariffs",
    summary: {
      en: "Discount of {fee} a month on {plan} until {deadline}",
      uk: "Знижка {fee} на місяць на {plan} до {deadline}",
      ru: "Скидка {fee} в месяц на {plan} до {deadline}"
    }
  },
  {
    type: "reminder.sent",
    actorType: "bot",
    source: "bot",
    subjectAlias: "billing",
    summary: {
      en: "Reminder: pay {amount} by {deadline}",
      uk: "Нагадування: сплатити {amount} до {deadline}",
      ru: "Напоминание: оплатить {amount} до {deadline}"
    }
  },
  {
    type: "survey.answered",
    actorType: "bot",
    source: "bot",
    subjectAlias: null,
    summary: {
      en: "Rated the chat {request} in the survey",
      uk: "Оцінка розмови {request} в опитуванні",
      ru: "Оценка разговора {request} в опросе"
    }
  },
  {
    type: "delivery.status_changed",
    actorType: "integration",
    source: "carrier",
    subjectAlias: "delivery",
    summary: {
      en: "Parcel {parcel} is waiting at branch {branch}",
      uk: "Посилка {parcel} чекає у відділенні № {branch}",
      ru: "Посылка {parcel} ждёт в отделении № {branch}"
    }
  },
  {
    type: "invoice.issued",
    actorType: "integration",
    source: "accounting",
    subjectAlias: "billing",
    summary: {
      en: "Invoice {request} for {month}, {amount}",
      uk: "Рахунок {request} за {month}, {amount}",
      ru: "Счёт {request} за {month}, {amount}"
    }
  }
]
