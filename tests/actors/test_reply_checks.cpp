#include <doctest/doctest.h>

#include "actors/functions.hpp"
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
  CHECK(passes(TaskDone{1, 0, {}, {4}, {1}, {5}, {6}, {7}}));
  CHECK_FALSE(passes(TaskDone{1, 0, {}, {}, {1}, {5}, {}, {7}}));
}

TEST_CASE("a reply about a shard that the run has not is refused") {
  CHECK_FALSE(passes(Computed{1, 0, {}, {2}, {5}, {7}, 0}));
  CHECK_FALSE(passes(Computed{1, 0, {}, {-1}, {5}, {7}, 0}));
  CHECK_FALSE(passes(TaskDone{1, 0, {}, {}, {2}, {5}, {6}, {7}}));
}

TEST_CASE("functions return no more texts than a worker has replicas, and no more bytes than a call may") {
  TaskDone done;
  done.text_bytes = {kMostTextBytes - 4, 4};
  CHECK(check_texts(done, 2, {}) == kMostTextBytes);
  CHECK(code_of([&] { check_texts(done, 1, {}); }) == ErrorCode::protocol);
  done.text_bytes = {kMostTextBytes - 4, 5};
  CHECK(code_of([&] { check_texts(done, 2, {}); }) == ErrorCode::protocol);
  done.text_bytes = {UINT64_MAX, 2};
  CHECK(code_of([&] { check_texts(done, 2, {}); }) == ErrorCode::protocol);
}

TEST_CASE("a worker without replicas, or with a tensor without a shape, is refused") {
  Built built;
  CHECK(code_of([&] { check_reply(built, {}); }) == ErrorCode::protocol);
  built.replicas.emplace_back();
  CHECK_FALSE(code_of([&] { check_reply(built, {}); }));
  built.tensor_names.emplace_back("weight");
  CHECK(code_of([&] { check_reply(built, {}); }) == ErrorCode::protocol);
}
