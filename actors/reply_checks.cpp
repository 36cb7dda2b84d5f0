#include "actors/reply_checks.hpp"

#include <algorithm>

#include "actors/functions.hpp"

namespace troupe {
namespace {

void check(bool makes_sense, const Where& where) {
  if (!makes_sense) throw Error(ErrorCode::protocol, "a reply contradicts itself", where);
}

bool are_of_run(const std::vector<std::int32_t>& shards, int num_shards) {
  return std::all_of(shards.begin(), shards.end(),
                     [num_shards](std::int32_t shard) { return shard >= 0 && shard < num_shards; });
}

}  // namespace

void check_reply(const Built& built, const Where& where) {
  check(!built.replicas.empty() && built.tensor_shapes.size() == built.tensor_names.size(), where);
}

void check_reply(const Computed& computed, int num_shards, const Where& where) {
  const std::size_t shards = computed.shards.size();
  check(computed.loss_bits.size() == shards && computed.samples.size() == shards &&
            are_of_run(computed.shards, num_shards),
        where);
}

void check_reply(const TaskDone& done, int num_shards, const Where& where) {
  const std::size_t shards = done.shards.size();
  check(done.loss_bits.size() == shards && done.samples.size() == shards && done.correct.size() == shards &&
            are_of_run(done.shards, num_shards),
        where);
}

std::size_t check_texts(const TaskDone& done, int devices, const Where& where) {
  check(done.text_bytes.size() <= static_cast<std::size_t>(devices), where);
  std::size_t bytes = 0;
  for (const std::uint64_t each : done.text_bytes) {
    check(each <= kMostTextBytes - bytes, where);
    bytes += each;
  }
  return bytes;
}

}  // namespace troupe
