// Words that do not distinguish texts: question words, and words that occur in every text.
import { fold } from "./Fold.ts"

const asking = {
  en: `what what's when where who who's whom whose which why how how's did do does doing is are was were has have had having
    will would can could should may might many much long often kind kinds type types please tell show find`,
  uk: `що чого чому чим коли де куди звідки хто кого кому ким чий чия чиє чиї чийого чиєї чиїх який яка яке які якого якої яку
    якому якій яким якою яких якими навіщо нащо як скільки чи хіба невже був була було були бути є буду буде будете будуть
    можу можеш може можемо можете можуть міг могла могло могли можна треба потрібно слід скажи скажіть підкажи підкажіть
    покажи покажіть знайди знайдіть поясни поясніть розкажи розкажіть прошу ласка`,
  ru: `что чего чему чем когда где куда откуда кто кого кому кем чей чья чьё чьи чьего чьей чьих какой какая какое какие какого
    какую какому каким какими каких почему зачем отчего как сколько ли разве неужели был была было были быть есть буду будет
    будете будут могу можешь может можем можете могут мог могла могло могли можно надо нужно следует скажи скажите подскажи
    подскажите покажи покажите найди найдите объясни объясните расскажи расскажите прошу пожалуйста`
}

const common = {
  en: `a an the and or of to in on at for with by from as that this these those it its be been being am i you he she we
    they me him her his us them my your our their not no if so but about into than then there here`,
  uk: `і й та а але або у в на до з із зі зо від для без через по про при над під між після перед поки це цей ця ці цю цього цієї
    цих цьому цій цим цією цими то той та те ті того тієї тої тих тому тій тим тією тими такий така таке такі такого такої таких
    я ти ви він вона воно ми вони мене мені мною тебе тобі тобою його йому ним її їй нею нас нам нами вас вам вами їх їм ними
    нього неї ній них себе собі собою мій моя моє мої мого моєї мою моєму моїй моїм моїх твій твоя твоє твої наш наша наше наші
    нашого нашої нашу наших ваш ваша ваше ваші вашого вашої вашу ваших свій своя своє свої свого своєї свою своєму своїй своїх
    їхній не ні ж же бо щоб якщо так тут там ще вже теж також тільки лише дуже`,
  ru: `и а но или в во на до с со из за от для без через о об обо к ко у по про при над под между после перед пока это этот эта
    эти эту этого этой этих этому этим этими то тот та те ту того той тех тому тем теми такой такая такое такие такого таких
    я ты вы он она оно мы они меня мне мной мною тебя тебе тобой его ему им её ей нас нам нами вас вам вами их ими него нему
    ним неё ней них себя себе собой мой моя моё мои моего моей мою моему моим моих твой твоя твоё твои наш наша наше наши
    нашего нашей нашу наших ваш ваша ваше ваши вашего вашей вашу ваших свой своя своё свои своего своей свою своему своих
    не ни же ж бы б чтобы если так тут там ещё уже тоже также только лишь очень`
}

// By spelling: a stem may be that of another word too (води and вода, бо and бій).
const spellings = (lists: Record<string, string>): ReadonlySet<string> =>
  new Set(Object.values(lists).flatMap((list) => list.split(/\s+/u).map(fold)))

/** Words that ask, folded. */
export const askingWords = spellings(asking)
/** Words too common to distinguish texts, folded. */
export const commonWords = spellings(common)

/** Whether a folded word is neither a question word nor a common word. */
export const isContentWord = (folded: string): boolean => !askingWords.has(folded) && !commonWords.has(folded)
