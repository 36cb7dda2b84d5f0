#include <doctest/doctest.h>

#include "actors/control_frames.hpp"
#include "actors/transport/admission/message_shapes.hpp"
#include "fuzz/actors/message_kinds.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr RunLimits kShapeLimits{.shards = 4, .replicas = 4, .members = 3};

/// Returns the maximum length of a list or text with this bound.
std::size_t most(Bound bound) {
  switch (bound) {
    case Bound::text:
      return 4096;
    case Bound::setting:
      return std::size_t{1} << 20;
    case Bound::host:
      return 255;
    case Bound::token:
    case Bound::buffers:
      return 16;
    case Bound::shards:
    case Bound::replicas:
      return 4;
    case Bound::members:
      return 3;
    case Bound::tensors:
      return 100'000;
    case Bound::dimensions:
      return 32;
    case Bound::metrics:
      return 64;
    case Bound::subtrees:
      return 128;
    case Bound::local_steps:
      return 10'000;
    case Bound::portions:
      return 10'004;
    case Bound::history:
      return 202;
    case Bound::vectors:
      return 64;
    case Bound::pieces:
      return 65'536;
    case Bound::products:
      return std::size_t{3} * 202 * 12;
  }
  return 0;
}

template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<std::vector<T>> = true;

/// Calls `act` for each text and list of a message, and then for the elements of each list. The elements are bounded as
/// texts, or as a tensor's dimensions.
template <class T, class Act>
void each_list(T& value, Bound bound, const Act& act) {
  if constexpr (std::is_same_v<T, std::string>) {
    act(value, bound);
  } else if constexpr (kIsVector<T>) {
    act(value, bound);
    constexpr Bound kInner = kIsVector<typename T::value_type> ? Bound::dimensions : Bound::text;
    for (auto& each : value)
      if constexpr (!std::is_integral_v<typename T::value_type>) each_list(each, kInner, act);
  } else if constexpr (HasFields<T>) {
    fields(value, [&](auto&&... each) { (each_list(each, Bound::text, act), ...); });
  }
}
template <class T, Bound kBound, class Act>
void each_list(Bounded<T, kBound>& field, Bound /*none*/, const Act& act) {
  each_list(field.value, kBound, act);
}

template <class Message>
bool fits(const Message& message) {
  const std::vector<char> fields = fields_of(message);
  return well_formed(*kind_of(type_of<Message>()), std::as_bytes(std::span(fields)), kShapeLimits);
}

template <class Message>
std::size_t largest() {
  return largest_fields(*kind_of(type_of<Message>()), kShapeLimits);
}

/// Returns the message with list `which` (in the order of fields) at its maximum length, plus `more` elements.
template <class Message>
Message with_long(Message message, std::size_t which, std::size_t more) {
  each_list(message, Bound::text, [&](auto& list, Bound bound) {
    if (which-- == 0) list.resize(most(bound) + more);
  });
  return message;
}

template <class Message>
void check_bounds(const Message& filled) {
  std::size_t lists = 0;
  Message message = filled;
  each_list(message, Bound::text, [&](auto&, Bound) { ++lists; });
  for (std::size_t i = 0; i < lists; ++i) {
    CAPTURE(type_of<Message>());
    CAPTURE(i);
    CHECK(fits(with_long(filled, i, 0)));
    CHECK_FALSE(fits(with_long(filled, i, 1)));
    CHECK(fields_of(with_long(filled, i, 0)).size() <= largest<Message>());
  }
}

/// Checks a message with all lists at their maximum length.
template <class Message>
void check_largest(Message message) {
  CAPTURE(type_of<Message>());
  CHECK(fields_of(message).size() <= largest<Message>());
  if constexpr (!requires { Message::kMostBytes; }) {
    each_list(message, Bound::text, [](auto& list, Bound bound) { list.resize(most(bound)); });
    CHECK(fits(message));
    const std::size_t bytes = fields_of(message).size();
    CHECK(bytes <= largest<Message>());
    CHECK(bytes + bytes / 10 + 100 >= largest<Message>());  // lengths are counted with their longest encoding
  }
}

template <class Message>
void check_shape(const Message& message) {
  CAPTURE(type_of<Message>());
  const auto kind = kind_of(type_of<Message>());
  REQUIRE(kind);
  std::vector<char> fields = fields_of(message);
  const auto bytes = std::as_bytes(std::span(fields));
  CHECK(well_formed(*kind, bytes, kShapeLimits));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(well_formed(*kind, bytes.first(size), kShapeLimits));
  fields.push_back('\0');
  CHECK_FALSE(well_formed(*kind, std::as_bytes(std::span(fields)), kShapeLimits));
}

}  // namespace

TEST_CASE("the well-formed check accepts each of our messages only with its exact length") {
  std::apply([](const auto&... each) { (check_shape(each), ...); }, fuzz::filled_messages());
}

TEST_CASE("each list and text may have the length of its bound, but not more") {
  std::apply([](const auto&... each) { (check_bounds(each), ...); }, fuzz::filled_messages());
}

TEST_CASE("largest() is an upper bound of the size of a message, and nearly exact for full messages") {
  std::apply([](const auto&... each) { (check_largest(each), ...); }, fuzz::filled_messages());
}

TEST_CASE("lists are bounded by the run's limits, texts by the length of errors, and strategies by the known ones") {
  Computed computed;
  computed.shards.resize(kShapeLimits.shards + 1);
  CHECK_FALSE(fits(computed));
  computed.shards.pop_back();
  CHECK(fits(computed));
  Built built;
  built.replicas.resize(kShapeLimits.replicas + 1);
  CHECK_FALSE(fits(built));
  built.replicas.pop_back();
  CHECK(fits(built));
  Applied applied;
  const auto thrown = std::make_exception_ptr(std::runtime_error(std::string(100'000, 'x')));
  applied.failure = Failure::from(thrown, ErrorCode::model_failed);
  CHECK(fits(applied));
  NodeJoin join;
  join.token = "short";
  CHECK_FALSE(fits(join));
  Build build;
  build.plan.strategy = static_cast<Strategy>(kStrategyNames.size() - 1);
  CHECK(fits(build));
  build.plan.strategy = static_cast<Strategy>(kStrategyNames.size());
  CHECK_FALSE(fits(build));
}

TEST_CASE("message kinds are found by type names, and each kind has a recipient") {
  CHECK_FALSE(kind_of("troupe::Failure"));
  CHECK_FALSE(kind_of("troupe::Nothing"));
  CHECK_FALSE(kind_of(""));
  CHECK(recipient_of(*kind_of("troupe::Called")) == Recipient::driver);
  CHECK(recipient_of(*kind_of("troupe::StartWorker")) == Recipient::node);
  CHECK(recipient_of(*kind_of("troupe::GatherSlices")) == Recipient::node);
  CHECK(recipient_of(*kind_of("troupe::Build")) == Recipient::worker);
  CHECK(answer_to(*kind_of("troupe::Place")) == *kind_of("troupe::Done"));
  CHECK(answer_to(*kind_of("troupe::Compute")) == *kind_of("troupe::Computed"));
  CHECK(is_join_of_worker(answer_to(*kind_of("troupe::StartWorker"))));
  CHECK(is_join_of_node(*kind_of("troupe::NodeJoin")));
}
