// Writes every form of a Morfologik dictionary of the class path with its lemma and tags: java Dump.java OUT
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import morfologik.stemming.Dictionary;
import morfologik.stemming.DictionaryLookup;
import morfologik.stemming.WordData;

public class Dump {
  public static void main(String[] arguments) throws Exception {
    var dictionary = Dictionary.read(Dump.class.getClassLoader().getResource("ua/net/nlp/ukrainian.dict"));
    try (BufferedWriter out = Files.newBufferedWriter(Path.of(arguments[0]))) {
      for (WordData data : new DictionaryLookup(dictionary)) {
        out.write(data.getWord() + "\t" + data.getStem() + "\t" + (data.getTag() == null ? "" : data.getTag()) + "\n");
      }
    }
  }
}
