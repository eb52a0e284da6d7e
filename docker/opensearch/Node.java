// One OpenSearch node in the foreground: java -cp 'lib/*' Node.java FOLDER HTTP_PORT [TRANSPORT_PORT NAME SEEDS]
// Alone it is a cluster of one; with the last three it joins the nodes whose transport ports SEEDS lists (9311,9312,9313).
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.codelibs.opensearch.runner.OpenSearchRunner;

public class Node {
  public static void main(String[] arguments) throws Exception {
    var runner = new OpenSearchRunner();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        runner.close();
      } catch (Exception ignored) {
        // It ends anyway.
      }
    }));
    runner
      .onBuild((number, settings) -> {
        settings.put("http.port", arguments[1]);
        settings.put("network.host", "127.0.0.1");
        // A developer's disk may be full enough to make a node read-only.
        settings.put("cluster.routing.allocation.disk.threshold_enabled", "false");
        if (arguments.length < 5) {
          settings.put("discovery.type", "single-node");
          return;
        }
        var ports = arguments[4].split(",");
        settings.put("discovery.type", "zen");
        settings.put("transport.port", arguments[2]);
        settings.put("node.name", arguments[3]);
        settings.put(
          "discovery.seed_hosts",
          Arrays.stream(ports).map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","))
        );
        settings.put(
          "cluster.initial_cluster_manager_nodes",
          IntStream.rangeClosed(1, ports.length).mapToObj(i -> "node" + i).collect(Collectors.joining(","))
        );
        // A lost node is noticed within seconds, and its shards are promoted at once.
        settings.put("cluster.fault_detection.follower_check.interval", "500ms");
        settings.put("cluster.fault_detection.follower_check.timeout", "1000ms");
        settings.put("cluster.fault_detection.leader_check.interval", "500ms");
        settings.put("cluster.fault_detection.leader_check.timeout", "1000ms");
      })
      .build(
        OpenSearchRunner.newConfigs()
          .basePath(arguments[0])
          .clusterName("rapport")
          .numOfNode(1)
          .disableESLogger()
          .pluginTypes("org.opensearch.plugin.analysis.ukrainian.AnalysisUkrainianPlugin")
      );
    Thread.currentThread().join();
  }
}
