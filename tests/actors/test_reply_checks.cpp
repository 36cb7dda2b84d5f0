#include <doctest/doctest.h>

#include "actors/reply_checks.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

template <class Reply>
bool passes(const Reply& reply) {
  const auto code = code_of([&] { check_reply(reply, 2, {}); });
  CHECK((!code || code == ErrorCode::protocol));
  return !code;
}

}  // namespace

TEST_CASE("a reply whose lists do not belong together is refused") {
  CHECK(passes(Computed{}));
  CHECK(passes(Computed{1, 0, {}, {0, 1}, {5, 6}, {7, 8}, 0}));
  CHECK_FALSE(passes(Computed{1, 0, {}, {0, 1}, {5}, {7, 8}, 0}));
  CHECK_FALSE(passes(Computed{1, 0, {}, {0, 1}, {5, 6}, {7}, 0}));
  CHECK_FALSE(passes(Computed{1, 0, {}, {}, {5}, {7}, 0}));
  CHECK(passes(TaskDone{1, 0, {}, {"text"}, {1}, {5}, {6}, {7}}));
  CHECK_FALSE(passes(TaskDone{1, 0, {}, {}, {1}, {5}, {}, {7}}));
}

TEST_CASE("a reply about a shard that the run has not is refused") {
  CHECK_FALSE(passes(Computed{1, 0, {}, {2}, {5}, {7}, 0}));
  CHECK_FALSE(passes(Computed{1, 0, {}, {-1}, {5}, {7}, 0}));
  CHECK_FALSE(passes(TaskDone{1, 0, {}, {}, {2}, {5}, {6}, {7}}));
}

TEST_CASE("a worker without replicas, or with a tensor without a shape, is refused") {
  Built built;
  CHECK(code_of([&] { check_reply(built, {}); }) == ErrorCode::protocol);
  built.replicas.emplace_back();
  CHECK_FALSE(code_of([&] { check_reply(built, {}); }));
  built.tensor_names.emplace_back("weight");
  CHECK(code_of([&] { check_reply(built, {}); }) == ErrorCode::protocol);
}
