#include "actors/transport/admission/message_shapes.hpp"

#include <algorithm>
#include <array>

#include "actors/transport/admission/wire.hpp"
#include "collectives/plan/strategy.hpp"

namespace troupe {
namespace {

using wire::Reader;

constexpr std::size_t kTokenBytes = 16;
constexpr std::size_t kLongestHost = 255;
/// Fields of fixed size and the counts of lists, generously.
constexpr std::size_t kFixedBytes = 256;
constexpr std::size_t kFailureBytes = kFixedBytes + 4 * kLongestText;
constexpr std::size_t kPeerBytes = 2 * kLongestText + kLongestHost + 16;
/// Of shards that were computed or evaluated.
constexpr std::size_t kComputedShardBytes = 20;
constexpr std::size_t kEvaluatedShardBytes = 28;

void list(Reader& r, std::size_t most, std::size_t bytes_each) { r.skip(r.count(most) * bytes_each); }

void flag(Reader& r) {
  if (r.byte() > 1) r.fail();
}

/// An enumeration of so many values.
void choice(Reader& r, std::uint8_t values) {
  if (r.byte() >= values) r.fail();
}

void token(Reader& r) {
  if (r.text(kTokenBytes).size() != kTokenBytes) r.fail();
}

void failure(Reader& r) {
  r.skip(4);
  for (int text = 0; text < 4; ++text) r.text(kLongestText);
}

/// Round and who answers.
void reply(Reader& r) {
  r.skip(8 + 4);
  failure(r);
}

void plan(Reader& r, const RunLimits& limits) {
  choice(r, kStrategyNames.size());
  flag(r);
  r.skip(4);
  list(r, limits.replicas, 4);
  r.skip(4);
}

void node_join(Reader& r) {
  r.skip(4);
  token(r);
  r.skip(4 + 4 + 4);
  r.text(kLongestHost);
  r.skip(2);
}

void built(Reader& r, const RunLimits& limits) {
  reply(r);
  for (std::size_t replica = r.count(limits.replicas); replica > 0 && r.good(); --replica) {
    r.skip(8 + 8);
    r.text(kLongestSetting);
    r.skip(4);
  }
  r.skip(8 + 8);
  for (std::size_t name = r.count(kMostTensors); name > 0 && r.good(); --name) r.text(kLongestText);
  for (std::size_t shape = r.count(kMostTensors); shape > 0 && r.good(); --shape) list(r, kMostDimensions, 8);
}

void computed(Reader& r, const RunLimits& limits) {
  reply(r);
  for (const std::size_t bytes : {4, 8, 8}) list(r, limits.shards, bytes);
  r.skip(8);
}

void applied(Reader& r) {
  reply(r);
  r.skip(8 + 8 + 8);
  flag(r);
}

void task_done(Reader& r, const RunLimits& limits) {
  reply(r);
  list(r, limits.replicas, 8);
  for (const std::size_t bytes : {4, 8, 8, 8}) list(r, limits.shards, bytes);
  r.skip(4 + 4);
}

void begin_generation(Reader& r, const RunLimits& limits) {
  r.skip(8 + 4 + 8 + 8);
  token(r);
  r.skip(4);
  for (std::size_t peer = r.count(limits.members); peer > 0 && r.good(); --peer) {
    r.text(kLongestText);
    r.text(kLongestText);
    r.text(kLongestHost);
    r.skip(2);
  }
  r.skip(4 + 8 + 4 + 4 + 8);
  plan(r, limits);
}

void node_task(Reader& r) {
  r.skip(8 + 4);
  choice(r, kNodeTaskKinds);
  r.skip(8 + 8 + 4 + 8 + 8);
}

void build(Reader& r, const RunLimits& limits) {
  r.skip(8 + 4 + 4);
  flag(r);
  plan(r, limits);
  r.skip(8);
  r.text(kLongestSetting);
  r.skip(4);
  r.text(kLongestSetting);
}

void attach(Reader& r) {
  r.skip(8 + 8 + 8);
  flag(r);
  r.text(kLongestSetting);
}

void task(Reader& r) {
  r.skip(8);
  choice(r, kTaskKinds);
  r.skip(4 + 8 + 8);
  flag(r);
  r.text(kLongestText);
}

void fields_of(MessageKind kind, Reader& r, const RunLimits& limits) {
  switch (kind) {
    case MessageKind::node_join:
      return node_join(r);
    case MessageKind::join:
      return r.skip(4 + 4 + 4);
    case MessageKind::built:
      return built(r, limits);
    case MessageKind::computed:
      return computed(r, limits);
    case MessageKind::applied:
      return applied(r);
    case MessageKind::task_done:
      return task_done(r, limits);
    case MessageKind::start_worker:
      return r.skip(4);
    case MessageKind::begin_generation:
      return begin_generation(r, limits);
    case MessageKind::node_task:
      return node_task(r);
    case MessageKind::build:
      return build(r, limits);
    case MessageKind::attach:
      return attach(r);
    case MessageKind::compute:
      return r.skip(8 + 8 + 4 + 8);
    case MessageKind::apply:
      return r.skip(8 + 8 + 4 + 8 + 8 + 8 + 8);
    case MessageKind::task:
      return task(r);
  }
}

/// In order of MessageKind.
constexpr std::array<std::string_view, 14> kTypes = {
    "troupe::NodeJoin", "troupe::Join",        "troupe::Built",           "troupe::Computed", "troupe::Applied",
    "troupe::TaskDone", "troupe::StartWorker", "troupe::BeginGeneration", "troupe::NodeTask", "troupe::Build",
    "troupe::Attach",   "troupe::Compute",     "troupe::Apply",           "troupe::Task"};

}  // namespace

std::optional<MessageKind> kind_of(std::string_view type) {
  const auto* const found = std::find(kTypes.begin(), kTypes.end(), type);
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<MessageKind>(found - kTypes.begin());
}

bool well_formed(MessageKind kind, std::span<const std::byte> fields, const RunLimits& limits) {
  Reader reader(fields);
  fields_of(kind, reader, limits);
  return reader.complete();
}

std::size_t largest_fields(MessageKind kind, const RunLimits& limits) {
  switch (kind) {
    case MessageKind::built:
      return kLongestDescription;
    case MessageKind::computed:
      return kFailureBytes + kComputedShardBytes * limits.shards;
    case MessageKind::task_done:
      return kFailureBytes + 8 * limits.replicas + kEvaluatedShardBytes * limits.shards;
    case MessageKind::begin_generation:
      return kFailureBytes + kPeerBytes * limits.members + 4 * limits.replicas;
    case MessageKind::build:
    case MessageKind::attach:
      return kFailureBytes + 2 * kLongestSetting + 4 * limits.replicas;
    default:
      return kFailureBytes;
  }
}

}  // namespace troupe
