// Words that say nothing about what is looked for: those that only ask, and those that stand in every text.
import { stem } from "./Words.ts"

const asking = {
  en: `what when where who whom whose which why how did do does is are was were has have had will would can could
    should may might many much long often kind type please tell show find`,
  uk: `що коли де куди звідки хто кого кому чий чия чиє чиї який яка яке які якого якої яких якому чому навіщо як скільки
    чи був була було були є буде будуть може можуть можна треба скажи покажи знайди`,
  ru: `что когда где куда откуда кто кого кому чей чья чьё чьи какой какая какое какие какого какой каких какому почему
    зачем как сколько ли был была было были есть будет будут может могут можно надо скажи покажи найди`
}

const common = {
  en: `a an the and or of to in on at for with by from as that this these those it its be been being am i you he she we
    they me him her us them my your our their not no if so but about into than then there here`,
  uk: `і й та а але або в у на до з із зі за від для по про при над під між це цей ця ці того тому той та те ті то я ти ви він
    вона воно ми вони мене тебе його її нас вас їх мій моя моє мої наш ваш свій не ні же ж бо щоб якщо так тут там`,
  ru: `и а но или в во на до с со из за от для по про при над под между это этот эта эти того тому тот та те то я ты вы он
    она оно мы они меня тебя его её нас вас их мой моя моё мои наш ваш свой не ни же бы чтобы если так тут там`
}

const stemsOf = (lists: Record<string, string>): ReadonlySet<string> =>
  new Set(Object.values(lists).flatMap((list) => list.split(/\s+/u).map(stem)))

/** Stems of words that ask. */
export const askingStems = stemsOf(asking)
/** Stems of words too common to tell texts apart. */
export const commonStems = stemsOf(common)
