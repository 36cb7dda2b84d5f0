#include "mutation/mutations.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "actors/control_frames.hpp"
#include "actors/transport/admission/message_shapes.hpp"
#include "collectives/plan/page_tree.hpp"
#include "mutation/leaves.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

using Messages = decltype(std::tuple_cat(ToDriver(), ToNode(), ToWorker()));

/// New values of a leaf, each with a description.
template <class T>
using Values = std::vector<std::pair<std::string, T>>;

/// The values of a message's numeric leaves and texts, in the order of the walk.
struct Neighbours {
  std::vector<std::pair<std::string, std::uint64_t>> numbers;
  std::vector<std::pair<std::string, std::string>> texts;
};

/// Returns the value after that of a path, or the first value after the last.
template <class T>
std::optional<T> next_to(const std::vector<std::pair<std::string, T>>& all, const std::string& path) {
  const auto at = std::ranges::find(all, path, &std::pair<std::string, T>::first);
  if (at == all.end() || all.size() < 2) return std::nullopt;
  return std::next(at) == all.end() ? all.front().second : std::next(at)->second;
}

bool holds_a_double(const std::string& path) { return path.find("_bits") != std::string::npos; }

template <class T>
Values<T> numbers(const T& value, const std::string& path, const Neighbours& neighbours) {
  Values<T> values{{"zero", T{0}},
                   {"one", T{1}},
                   {"minus one", static_cast<T>(-1)},
                   {"maximum", std::numeric_limits<T>::max()},
                   {"minimum", std::numeric_limits<T>::min()},
                   {"one more", static_cast<T>(static_cast<std::uint64_t>(value) + 1)},
                   {"one less", static_cast<T>(static_cast<std::uint64_t>(value) - 1)}};
  if (const auto next = next_to(neighbours.numbers, path))
    values.emplace_back("its neighbour's", static_cast<T>(*next));
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (!holds_a_double(path)) return values;
    for (const double each :
         {1.0, -1.0, 1e300, 1e-310, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
      values.emplace_back("the double " + std::to_string(each), to_bits(each));
  }
  return values;
}

Values<std::string> texts(const std::string& value, const std::string& path, Bound bound,
                          const Neighbours& neighbours) {
  Values<std::string> values{{"no text", ""}, {"controls", "\x1b[2J\n"}, {"a character more", value + "x"}};
  if (!value.empty()) values.emplace_back("a character less", value.substr(1));
  if (!value.empty()) values.emplace_back("reversed", std::string(value.rbegin(), value.rend()));
  if (bound != Bound::token)
    values.emplace_back("longest text", std::string(bound == Bound::setting ? kLongestSetting : kLongestText, 'x'));
  if (bound == Bound::token) values.emplace_back("another", std::string(kTokenBytes, 'x'));
  if (const auto next = next_to(neighbours.texts, path)) values.emplace_back("its neighbour's", *next);
  return values;
}

/// Returns the largest size that a list may have in the runs of these tests. No list of theirs is that large.
std::size_t many(Bound bound) {
  switch (bound) {
    case Bound::buffers:
      return kMostBuffers;
    case Bound::dimensions:
      return kMostDimensions;
    case Bound::metrics:
      return kMostMetrics;
    case Bound::subtrees:
      return kMostSubtrees;
    case Bound::local_steps:
      return kMostLocalSteps;
    case Bound::tensors:
      return kMostTensors;
    case Bound::history:
      return kMostHistoryVectors;
    case Bound::vectors:
      return kMostCopiedVectors;
    case Bound::pieces:
      return kMostPieces;
    case Bound::products:
      return 3 * kMostHistoryVectors * kMostPieceSubtrees;
    default:
      return 0;
  }
}

template <class T>
Values<std::vector<T>> lists(const std::vector<T>& value, Bound bound) {
  using List = std::vector<T>;
  Values<List> values{{"empty", {}}};
  List longer = value;
  longer.push_back(value.empty() ? T{} : value.back());
  values.emplace_back("one element more", longer);
  if (const std::size_t most = many(bound); most > value.size()) {
    longer.resize(most, longer.back());
    values.emplace_back("as long as can be", longer);
  }
  if (value.empty()) return values;
  values.emplace_back("one element less", List(value.begin(), value.end() - 1));
  values.emplace_back("reversed", List(value.rbegin(), value.rend()));
  values.emplace_back("all as the first", List(value.size(), value.front()));
  values.emplace_back("all zero", List(value.size()));
  return values;
}

template <class T>
Values<T> values_of(const T& value, const std::string& path, Bound bound, const Neighbours& neighbours) {
  if constexpr (std::is_same_v<T, bool>) {
    return {{"turned over", !value}};
  } else if constexpr (std::is_enum_v<T>) {
    Values<T> values;
    for (int other = 0; other < 256; other = other == 8 ? 255 : other + 1)
      values.emplace_back("number " + std::to_string(other), static_cast<T>(other));
    return values;
  } else if constexpr (std::is_integral_v<T>) {
    return numbers(value, path, neighbours);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return texts(value, path, bound, neighbours);
  } else {
    return lists(value, bound);
  }
}

template <class T>
std::string bytes_of_leaf(T& leaf) {
  std::vector<char> bytes;
  caf::binary_serializer sink(nullptr, bytes);
  if (sink(leaf)) throw std::logic_error("a field cannot be written");
  return {bytes.begin(), bytes.end()};
}

template <class Message>
Neighbours neighbours_of(Message& message) {
  Neighbours all;
  each_leaf(message, Bound::text, "", [&](const std::string& path, auto& leaf, Bound) {
    using Leaf = std::remove_reference_t<decltype(leaf)>;
    if constexpr (std::is_integral_v<Leaf> && !std::is_same_v<Leaf, bool>)
      all.numbers.emplace_back(path, static_cast<std::uint64_t>(leaf));
    if constexpr (std::is_same_v<Leaf, std::string>) all.texts.emplace_back(path, leaf);
  });
  return all;
}

/// Returns a different value that a message of another run has at this path, if there is one.
template <class Leaf, class Message>
std::optional<Leaf> elsewhere(const Leaf& leaf, const std::string& path, std::vector<Message>& others) {
  for (Message& other : others) {
    const Leaf* const found = leaf_at<Leaf>(other, path);
    if (found == nullptr) continue;
    Leaf own = leaf;
    Leaf copy = *found;
    if (bytes_of_leaf(own) != bytes_of_leaf(copy)) return copy;
  }
  return std::nullopt;
}

template <class Message>
std::vector<Mutant> mutants(Message message, std::vector<Message> others) {
  std::vector<Mutant> made;
  const Neighbours neighbours = neighbours_of(message);
  each_leaf(message, Bound::text, "", [&](const std::string& path, auto& leaf, Bound bound) {
    const auto before = leaf;
    auto values = values_of(before, path, bound, neighbours);
    if (auto other = elsewhere(before, path, others)) values.emplace_back("another message's", std::move(*other));
    std::set<std::string> seen{bytes_of_leaf(leaf)};
    for (auto& [what, value] : values) {
      leaf = std::move(value);
      if (seen.insert(bytes_of_leaf(leaf)).second) made.push_back({path, what, caf::make_message(message)});
    }
    leaf = before;
  });
  return made;
}

/// Calls `use` with the message in its own type.
template <class Use, class... Each>
void with_type(const caf::message& message, const Use& use, std::tuple<Each...>* /*kinds*/) {
  if (!(... || (message.match_elements<Each>() && (use(message.get_as<Each>(0)), true))))
    throw std::logic_error("a message of no kind");
}
template <class Use>
void with_type(const caf::message& message, const Use& use) {
  with_type(message, use, static_cast<Messages*>(nullptr));
}

}  // namespace

std::string kind_of_message(const caf::message& message) {
  std::string kind;
  with_type(message, [&]<class Message>(const Message& /*content*/) { kind = name_of_type<Message>(); });
  return kind;
}

std::vector<Mutant> mutants_of(const caf::message& message, const std::vector<caf::message>& others) {
  std::vector<Mutant> made;
  with_type(message, [&]<class Message>(const Message& content) {
    std::vector<Message> same;
    for (const caf::message& other : others)
      if (other.match_elements<Message>()) same.push_back(other.get_as<Message>(0));
    made = mutants(content, std::move(same));
  });
  return made;
}

bool is_admitted(const caf::message& message, const RunLimits& limits) {
  bool admitted = false;
  with_type(message, [&]<class Message>(const Message& content) {
    const std::vector<char> bytes = fields_of(content);
    admitted = well_formed(*troupe::kind_of(type_of<Message>()), std::as_bytes(std::span(bytes)), limits);
  });
  return admitted;
}

std::vector<char> bytes_of_fields(const caf::message& message) {
  std::vector<char> bytes;
  with_type(message, [&](const auto& content) { bytes = fields_of(content); });
  return bytes;
}

namespace {

template <class Message>
bool read_as(std::string_view type, std::span<const std::byte> fields, caf::message& message) {
  if (type != type_of<Message>()) return false;
  message = caf::make_message(message_from<Message>(fields));
  return true;
}
template <class... Each>
bool read_as_any(std::string_view type, std::span<const std::byte> fields, caf::message& message,
                 std::tuple<Each...>* /*kinds*/) {
  return (... || read_as<Each>(type, fields, message));
}

}  // namespace

caf::message read_message(std::string_view type, std::span<const std::byte> fields) {
  caf::message message;
  if (!read_as_any(type, fields, message, static_cast<Messages*>(nullptr)))
    throw std::logic_error("a message of no kind");
  return message;
}

std::string text_of_message(const caf::message& message) {
  std::string text = caf::to_string(message);
  if (text.size() > 600) text.resize(600);
  return kind_of_message(message) + " " + text;
}

}  // namespace troupe_test
