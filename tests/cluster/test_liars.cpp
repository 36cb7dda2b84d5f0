#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "cluster/nodes.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/tls/credentials.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

namespace {

#if defined(TROUPE_SANITIZED)
constexpr std::size_t kMemoryOfLiars = std::size_t{256} << 20;  // a sanitizer keeps freed memory for a while
#else
constexpr std::size_t kMemoryOfLiars = std::size_t{32} << 20;
#endif

/// Starts a node with the name alice, which sorts before all other nodes.
std::unique_ptr<Child> start_liar(const std::string& lie, const Nodes& nodes) {
  const auto& folder = nodes.authority().folder();
  if (!std::filesystem::exists(folder / "alice")) create_node_credentials(folder.path().string(), "alice");
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return std::make_unique<Child>(std::vector<std::string>{program, "--liar", lie, nodes.listen(), folder / "alice"},
                                 folder / ("log-" + lie));
}

/// Returns the error of a run whose first node lies.
std::optional<Error> error_with(const std::string& lie, const Nodes& nodes) {
  const auto liar = start_liar(lie, nodes);
  try {
    const DistributedSGD sgd("hold", nodes.options(2));
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a node that announces a host name instead of an address is refused, and an honest node replaces it") {
  const CapturedErrors errors;
  Nodes nodes(1);
  nodes[0].signal(SIGSTOP);
  const auto liar = start_liar("host", nodes);
  const std::string refusal = ": it announces the address metadata.internal, which other nodes cannot dial\n";
  bool heard = false;
  std::thread second([&] {
    heard = comes_true([&] { return errors.text().find(refusal) != std::string::npos; }, 30s);
    nodes[0].signal(SIGCONT);
  });
  const auto run = [&] {
    DistributedSGD sgd("hold", nodes.options(1));
    CHECK(sgd.step().step == 1);
  };
  CHECK(message_of(run) == "");
  second.join();
  CHECK(heard);
}

TEST_CASE("a first worker that reports tensors larger than its model is refused before memory is allocated") {
  Nodes nodes(1);
  const std::size_t before = resident_bytes(::getpid());
  const auto error = error_with("tensors", nodes);
  REQUIRE(error);
  INFO(error->what());
  CHECK(error->code() == ErrorCode::protocol);
  CHECK(error->where().worker == 0);
  CHECK(error->where().node == "alice");
  CHECK(error->message().find("its tensors are larger than the model") != std::string::npos);
  CHECK(resident_bytes(::getpid()) < before + kMemoryOfLiars);
  DistributedSGD honest("hold", nodes.options(1));
  CHECK(honest.step().step == 1);
}

TEST_CASE("a failure message of a node is printed without control characters") {
  Nodes nodes(1);
  const auto error = error_with("failure", nodes);
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::model_failed);
  CHECK(error->message() == "?[2Jno model");
  CHECK(error->where().node == "alice");
}

TEST_CASE("an error names both the blamed node and the reporting node") {
  Nodes nodes(1);
  const auto error = error_with("blame", nodes);
  REQUIRE(error);
  CHECK(error->where().node == "bob");
  CHECK(error->message() == "he does not answer (reported by alice)");
}

TEST_CASE("reading weights that exceed the driver's store is an error, and the run continues") {
  Nodes nodes(1);
  Options options = nodes.options();
  options.memory.store_bytes = 64 << 10;  // the model needs 117 KiB
  DistributedSGD sgd("hold", options);
  CHECK(sgd.step().step == 1);
  CHECK(code_of([&] { sgd.weights(); }) == ErrorCode::store_full);
  CHECK(sgd.step().step == 2);
}
