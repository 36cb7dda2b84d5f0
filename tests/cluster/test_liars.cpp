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
constexpr std::size_t kMemoryOfLiars = std::size_t{256} << 20;  // freed memory stays with the sanitizer for a while
#else
constexpr std::size_t kMemoryOfLiars = std::size_t{32} << 20;
#endif

/// A member by the name of alice, which comes before all other nodes.
std::unique_ptr<Child> start_liar(const std::string& lie, const Nodes& nodes) {
  const auto& folder = nodes.authority().folder();
  if (!std::filesystem::exists(folder / "alice")) create_node_credentials(folder.path().string(), "alice");
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return std::make_unique<Child>(std::vector<std::string>{program, "--liar", lie, nodes.listen(), folder / "alice"},
                                 folder / ("log-" + lie));
}

/// What a run with the liar as its first node ends with.
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

TEST_CASE("a node that says it listens at a name has no place in the run, and an honest one takes it") {
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

TEST_CASE("a first worker that speaks of tensors larger than its model is refused before they take memory") {
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

TEST_CASE("what a node tells of a failure can be shown") {
  Nodes nodes(1);
  const auto error = error_with("failure", nodes);
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::model_failed);
  CHECK(error->message() == "?[2Jno model");
  CHECK(error->where().node == "alice");
}

TEST_CASE("who blames another is named beside him") {
  Nodes nodes(1);
  const auto error = error_with("blame", nodes);
  REQUIRE(error);
  CHECK(error->where().node == "bob");
  CHECK(error->message() == "he does not answer (reported by alice)");
}

TEST_CASE("weights that the driver's store has no room for are refused, and the run goes on") {
  Nodes nodes(1);
  Options options = nodes.options();
  options.memory.store_bytes = 64 << 10;  // the model's take 117 KiB
  DistributedSGD sgd("hold", options);
  CHECK(sgd.step().step == 1);
  CHECK(code_of([&] { sgd.weights(); }) == ErrorCode::store_full);
  CHECK(sgd.step().step == 2);
}
