#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/refused.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/socket.hpp"

using namespace troupe_test;
using nlohmann::json;
using troupe::testing::TemporaryFolder;

namespace {

/// Runs a command with --json, requires status 0, and returns the printed JSON.
json result_of(const std::vector<std::string>& arguments) {
  const Finished run = run_program(joined(arguments, {"--json"}));
  REQUIRE_MESSAGE(run.status == 0, run.err);
  return json::parse(run.out);
}

double number(const json& result, const char* name) { return result.at(name).get<double>(); }

std::string free_address() {
  return "127.0.0.1:" + std::to_string(troupe::net::local_of(troupe::net::listen_on({"127.0.0.1", 0}).get()).port);
}

}  // namespace

TEST_CASE("sync prints times and their ratio") {
  for (const char* placement : {"in-process", "processes"})
    for (const char* strategy : {"sharded", "driver"}) {
      const json result = result_of({"sync", "--parameters", "100000", "--workers", "2", "--devices-per-worker", "2",
                                     "--placement", placement, "--strategy", strategy, "--rounds", "3"});
      CHECK(number(result, "seconds") > 0);
      CHECK(number(result, "floor_seconds") > 0);
      CHECK(number(result, "ratio") == doctest::Approx(number(result, "seconds") / number(result, "floor_seconds")));
    }
}

TEST_CASE("allreduce prints the time of a shared sum and of private copies of the sum") {
  for (const char* placement : {"in-process", "processes"}) {
    const json result =
        result_of({"allreduce", "--parameters", "100000", "--workers", "2", "--placement", placement, "--rounds", "3"});
    CHECK(result.at("ranks") == 2);
    CHECK(number(result, "seconds") > 0);
    CHECK(number(result, "private_seconds") > 0);
  }
}

TEST_CASE("first-step prints the times of warmup(), of the first step and of later steps") {
  const json result = result_of({"first-step", "--model", "linear", "--workers", "2", "--steps", "3"});
  CHECK(number(result, "warmup_seconds") > 0);
  CHECK(number(result, "first_seconds") > 0);
  CHECK(number(result, "ratio") == doctest::Approx(number(result, "first_seconds") / number(result, "step_seconds")));
}

TEST_CASE("predict prints the time of one sample and the rates of batches and of an evaluation") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const json result = result_of({"predict", "--data", "fashion-mnist:" + folder.path().string(), "--threads", "2",
                                 "--batch", "20", "--rounds", "1"});
  CHECK(number(result, "single_seconds") > 0);
  CHECK(number(result, "predicted_rate") > 0);
  CHECK(number(result, "ratio") ==
        doctest::Approx(number(result, "predicted_rate") / number(result, "evaluated_rate")));
}

TEST_CASE("allreduce runs on nodes that are this program") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  troupe::create_authority(certs);
  std::vector<std::unique_ptr<Program>> nodes;
  const std::string address = free_address();
  for (const char* name : {"n0", "n1"}) {
    troupe::create_node_credentials(certs, name);
    nodes.push_back(std::make_unique<Program>(
        std::vector<std::string>{"--troupe-join=" + address, "--troupe-certs=" + certs + "/" + name}));
  }
  const json result =
      result_of({"allreduce", "--parameters", "100000", "--workers", "2", "--rounds", "3", "--placement", "cluster",
                 "--listen", address, "--nodes", "2", "--certs", certs + "/driver"});
  CHECK(result.at("collective") == "hierarchical");
  CHECK(number(result, "bytes_sent") > 0);
}

TEST_CASE("data-plane prints the times with and without TLS and their ratio") {
  const json result = result_of({"data-plane", "--bytes", "1000001", "--rounds", "3", "--streams", "2"});
  CHECK(result.at("bytes") == 1'000'001);
  CHECK(number(result, "ratio") == doctest::Approx(number(result, "tls_seconds") / number(result, "plain_seconds")));
}

TEST_CASE("checkpoint prints the times of saving and resuming, and the reference times of their ratios") {
  const TemporaryFolder folder;
  const json result = result_of(
      {"checkpoint", "--parameters", "100000", "--workers", "2", "--rounds", "2", "--folder", folder.path().string()});
  CHECK(number(result, "ratio") == doctest::Approx(number(result, "seconds") / number(result, "dd_seconds")));
  CHECK(number(result, "resume_ratio") ==
        doctest::Approx(number(result, "resume_seconds") /
                        (number(result, "read_seconds") + number(result, "start_seconds"))));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("command-line options take precedence over options from a file") {
  const TemporaryFolder folder;
  const std::string path = folder / "sync.json";
  troupe::testing::write_file(path, R"({"parameters": 1000, "rounds": 1, "workers": 3})");
  const json result = result_of({"sync", "--config", path, "--workers", "2"});
  CHECK(result.at("parameters") == 1000);
  CHECK(result.at("workers") == 2);
}

TEST_CASE("help and version are printed with status 0") {
  for (const std::string command : {"sync", "allreduce", "data-plane", "checkpoint"}) {
    const Finished run = run_program({command, "--help"});
    CHECK(run.status == 0);
    CHECK(run.out.find("Usage: troupe-bench " + command) != std::string::npos);
  }
  CHECK(run_program({"--help"}).out.find("examples:") != std::string::npos);
  CHECK(matches(run_program({"--version"}).out, "[0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_CASE("an error names the invalid command or option") {
  check_refused({}, {"subcommand"});
  check_refused({"frobnicate"}, {"'frobnicate'"});
  check_refused({"sync", "--parameters", "99999999999"}, {"--parameters"});
  check_refused({"sync", "--parameters", "60000000000"}, {"store_full"});
  check_refused({"allreduce", "--strategy", "telepathy"}, {"--strategy", "telepathy"});
}

TEST_CASE("a failed write to standard output is an error") {
  const Finished run = run_program({"sync", "--parameters", "10", "--rounds", "1"}, {.output = "/dev/full"});
  CHECK(run.status == 1);
  CHECK(run.err == "troupe-bench: system: cannot write to standard output\n");
}

TEST_CASE("trainer times functions on worker processes") {
  const json sums = result_of({"trainer", "all-reduce", "--workers", "2", "--floats", "256", "100000"});
  REQUIRE(sums.at("sizes").size() == 2);
  CHECK(sums.at("sizes")[1].at("floats") == 100'000);
  CHECK(number(sums.at("sizes")[1], "seconds") > 0);
  CHECK(number(result_of({"trainer", "report", "--workers", "2", "--iterations", "200"}), "seconds") > 0);
  const json start = result_of({"trainer", "start", "--workers", "2", "--rounds", "1"});
  CHECK(number(start, "start_seconds") > 0);
  CHECK(number(start, "again_seconds") > 0);
  const json step = result_of({"trainer", "step", "--workers", "2", "--rounds", "1", "--steps", "3", "--model", "mlp"});
  CHECK(number(step, "seconds") > 0);
  CHECK(number(step, "driver_seconds") > 0);
  CHECK(run_program({"trainer", "nothing"}).err.find("there are all-reduce, report, start and step") !=
        std::string::npos);
}

TEST_CASE("transports times messages of several lengths between two processes") {
  for (const char* transport : {"shared-memory", "data-plane"}) {
    const json result =
        result_of({"transports", "--transport", transport, "--rounds", "3", "--bytes", "8", "1000", "3000000"});
    CHECK(result.at("transport") == transport);
    REQUIRE(result.at("sizes").size() == 3);
    CHECK(result.at("sizes")[2].at("bytes") == 3'000'000);
    for (const json& size : result.at("sizes")) CHECK(number(size, "seconds") > 0);
  }
  check_refused({"transports", "--transport", "pigeons"}, {"--transport", "pigeons"});
}
