#include <doctest/doctest.h>

#include "actors/driver/forming/building.hpp"
#include "actors/messages/build.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

/// Workers on `nodes` nodes, or on one machine if `nodes` is 0. They report models of the sizes that the test
/// specifies.
class Building {
 public:
  Building(const std::vector<std::uint64_t>& sizes, int nodes)
      : members_(static_cast<int>(sizes.size()), 1, nodes, static_cast<int>(sizes.size())) {
    for (const int worker : members_.workers()) members_.come(worker);
    mailbox_.when_sent([this, sizes](int member, const caf::message& message) {
      Built built;
      built.round = message.get_as<Build>(0).round;
      const std::uint64_t size = sizes.at(static_cast<std::size_t>(member));
      const std::vector<TensorInfo> tensors{{"w", {static_cast<std::int64_t>(size)}}};
      built.replicas = {{size, size, "plain", 0, checksum_of(tensors)}};
      built.tensor_names = {"w"};
      built.tensor_shapes = {tensors.front().shape};
      mailbox_.answer(member, built);
    });
  }

  void operator()() {
    Options options;
    options.num_workers = members_.num_workers();
    PrecisionDecision precision(options);
    std::optional<ModelDescription> model;
    build_replicas(members_.unbuilt_workers(), ModelCreator("anything"), options, {}, members_, rounds_, precision,
                   model, {"start", 0, Deadline(std::chrono::hours(1))});
    size_ = model->traits.size;
  }
  std::uint64_t size() const { return size_; }

 private:
  troupe_test::FakeMailbox mailbox_;
  troupe_test::FakeFailureDetector detector_;
  Members members_;
  Rounds rounds_{mailbox_, members_, detector_};
  std::uint64_t size_ = 0;
};

}  // namespace

TEST_CASE("the model of most nodes is the model of the run, and the error names a worker with another one") {
  for (const int liar : {0, 1, 2}) {
    std::vector<std::uint64_t> sizes(3, 64);
    sizes[static_cast<std::size_t>(liar)] = 96;
    Building building(sizes, 3);
    CHECK(code_of([&] { building(); }) == ErrorCode::model_mismatch);
    CHECK(where_of([&] { building(); }).worker == liar);
  }
  Building alike({64, 64, 64}, 3);
  alike();
  CHECK(alike.size() == 64);
}

TEST_CASE("in a tie between nodes the error names no worker, and each node has one vote") {
  for (const auto& sizes : {std::vector<std::uint64_t>{64, 96}, {64, 64, 96, 96}, {96, 96, 64, 64}}) {
    Building building(sizes, 2);
    CHECK(code_of([&] { building(); }) == ErrorCode::model_mismatch);
    CHECK(where_of([&] { building(); }).worker == -1);
    CHECK(where_of([&] { building(); }).node.empty());
    CHECK(message_of([&] { building(); }).find("96") != std::string::npos);
  }
}

TEST_CASE("on one machine, the error names a worker with another model than the first worker") {
  Building building({64, 96}, 0);
  CHECK(where_of([&] { building(); }).worker == 1);
}
