#include "actors/transport/admission/message_shapes.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "actors/messages/messages.hpp"
#include "actors/transport/admission/wire.hpp"
#include "collectives/plan/page_tree.hpp"

// Checks the bytes of a message against the list of its fields (the function `fields` of each type of message). Checks
// only the lengths of lists and texts, flags, and the values of enumerations; other bytes may have any value.
namespace troupe {
namespace {

using wire::Reader;

using All = decltype(std::tuple_cat(ToDriver(), ToNode(), ToWorker()));
constexpr std::size_t kKinds = std::tuple_size_v<All>;
constexpr std::size_t kToDriver = std::tuple_size_v<ToDriver>;
constexpr std::size_t kToNode = std::tuple_size_v<ToNode>;

/// The maximum number of bytes in which CAF writes the length of a list or text.
constexpr std::size_t kCountBytes = 5;

template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<std::vector<T>> = true;

/// Returns the number of values of an enumeration in messages: here, of Strategy.
constexpr std::uint8_t values_of(Strategy /*any*/) { return kStrategyNames.size(); }

std::size_t most(Bound bound, const RunLimits& limits) {
  switch (bound) {
    case Bound::text:
      return kLongestText;
    case Bound::setting:
      return kLongestSetting;
    case Bound::host:
      return kLongestHost;
    case Bound::token:
      return kTokenBytes;
    case Bound::shards:
      return limits.shards;
    case Bound::replicas:
      return limits.replicas;
    case Bound::members:
      return limits.members;
    case Bound::tensors:
      return kMostTensors;
    case Bound::dimensions:
      return kMostDimensions;
    case Bound::buffers:
      return kMostBuffers;
    case Bound::metrics:
      return kMostMetrics;
    case Bound::subtrees:
      return kMostSubtrees;
    case Bound::portions:
      return limits.shards + kMostPortions;
    case Bound::history:
      return kMostHistoryVectors;
    case Bound::vectors:
      return kMostCopiedVectors;
    case Bound::pieces:
      return kMostPieces;
    case Bound::products:
      return 3 * kMostHistoryVectors * kMostPieceSubtrees;
    case Bound::local_steps:
      return kMostLocalSteps;
  }
  return 0;
}

/// Returns the bound for the length of each element of type T in a list. The bound is used only if the elements are
/// lists or texts themselves.
template <class T>
constexpr Bound inner_bound() {
  return kIsVector<T> ? Bound::dimensions : Bound::text;
}

/// Reads the fields of a message one after the other with a Reader. If a field is not valid, marks the reader as failed
/// (`Reader::fail`).
class Walk {
 public:
  Walk(Reader& reader, const RunLimits& limits) : reader_(reader), limits_(limits) {}

  template <class T>
  void field(T& value, Bound bound = Bound::text) {
    if constexpr (std::is_same_v<T, bool>) {
      if (reader_.byte() > 1) reader_.fail();
    } else if constexpr (std::is_enum_v<T>) {
      if (reader_.byte() >= values_of(value)) reader_.fail();
    } else if constexpr (std::is_integral_v<T>) {
      reader_.skip(sizeof(T));
    } else if constexpr (std::is_same_v<T, std::string>) {
      const std::size_t length = reader_.text(most(bound, limits_)).size();
      if (bound == Bound::token && length != kTokenBytes) reader_.fail();
    } else if constexpr (kIsVector<T>) {
      list<typename T::value_type>(reader_.count(most(bound, limits_)));
    } else {
      fields(value, [this](auto&&... each) { (this->field(unbounded(each), bound_of(each)), ...); });
    }
  }

 private:
  template <class T>
  void list(std::size_t count) {
    if constexpr (std::is_integral_v<T>) {
      reader_.skip(count * sizeof(T));
    } else {
      T any;
      for (; count > 0 && reader_.good(); --count) field(any, inner_bound<T>());
    }
  }

  Reader& reader_;
  const RunLimits& limits_;
};

/// Computes the maximum number of bytes in the fields of a message that `Walk` accepts.
class Measure {
 public:
  explicit Measure(const RunLimits& limits) : limits_(limits) {}

  template <class T>
  std::size_t field(T& value, Bound bound = Bound::text) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      return sizeof(T);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return kCountBytes + most(bound, limits_);
    } else if constexpr (kIsVector<T>) {
      typename T::value_type any{};
      return kCountBytes + most(bound, limits_) * field(any, inner_bound<typename T::value_type>());
    } else if constexpr (requires { T::kMostBytes; }) {
      return T::kMostBytes;
    } else {
      return fields(value, [this](auto&&... each) {
        return (std::size_t{0} + ... + this->field(unbounded(each), bound_of(each)));
      });
    }
  }

 private:
  const RunLimits& limits_;
};

/// The properties of one kind of message: CAF's name of the message's type, the kind of the answer, the function that
/// checks the fields (`walk`), and the function that returns the maximum size of the fields in bytes (`measure`).
struct Shape {
  std::string_view type;
  MessageKind answer{};
  void (*walk)(Reader&, const RunLimits&) = nullptr;
  std::size_t (*measure)(const RunLimits&) = nullptr;
};

template <class Message, std::size_t kIndex = 0>
constexpr MessageKind kind_of_type() {
  if constexpr (std::is_same_v<Message, std::tuple_element_t<kIndex, All>>)
    return static_cast<MessageKind>(kIndex);
  else
    return kind_of_type<Message, kIndex + 1>();
}

template <class Message>
Shape shape_of() {
  Shape shape;
  shape.type = caf::type_name_by_id<caf::type_id<Message>::value>::value;
  shape.walk = [](Reader& reader, const RunLimits& limits) {
    Message any;
    Walk(reader, limits).field(any);
  };
  shape.measure = [](const RunLimits& limits) {
    Message any;
    return Measure(limits).field(any);
  };
  if constexpr (requires { typename Message::Reply; }) shape.answer = kind_of_type<typename Message::Reply>();
  return shape;
}

template <std::size_t... kIndex>
std::array<Shape, kKinds> all_shapes(std::index_sequence<kIndex...> /*all*/) {
  return {shape_of<std::tuple_element_t<kIndex, All>>()...};
}

const std::array<Shape, kKinds>& shapes() {
  static const auto all = all_shapes(std::make_index_sequence<kKinds>());
  return all;
}

const Shape& shape(MessageKind kind) { return shapes().at(static_cast<std::size_t>(kind)); }

}  // namespace

std::optional<MessageKind> kind_of(std::string_view type) {
  const auto& all = shapes();
  const auto* const found = std::find_if(all.begin(), all.end(), [&](const Shape& each) { return each.type == type; });
  if (found == all.end()) return std::nullopt;
  return static_cast<MessageKind>(found - all.begin());
}

Recipient recipient_of(MessageKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (index < kToDriver) return Recipient::driver;
  return index < kToDriver + kToNode ? Recipient::node : Recipient::worker;
}

MessageKind answer_to(MessageKind request) { return shape(request).answer; }
bool is_join_of_node(MessageKind kind) { return kind == kind_of_type<NodeJoin>(); }
bool is_join_of_worker(MessageKind kind) { return kind == kind_of_type<Join>(); }

bool well_formed(MessageKind kind, std::span<const std::byte> fields, const RunLimits& limits) {
  Reader reader(fields);
  shape(kind).walk(reader, limits);
  return reader.complete();
}

std::size_t largest_fields(MessageKind kind, const RunLimits& limits) { return shape(kind).measure(limits); }

std::size_t largest_message_to(Recipient recipient, const RunLimits& limits) {
  std::size_t largest = 0;
  for (std::size_t index = 0; index < kKinds; ++index)
    if (const auto kind = static_cast<MessageKind>(index); recipient_of(kind) == recipient)
      largest = std::max(largest, largest_fields(kind, limits));
  return largest;
}

}  // namespace troupe
