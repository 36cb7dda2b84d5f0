#include "collectives/group/call_record.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <type_traits>

#include "runtime/printable.hpp"

namespace troupe {

static_assert(std::is_trivially_copyable_v<CallRecord>);

CallRecord::CallRecord(const Collective& call, std::uint64_t number_of_call)
    : count(call.count),
      line(call.line),
      root(call.root),
      kind(static_cast<std::uint8_t>(call.kind)),
      type(static_cast<std::uint8_t>(call.type)),
      op(static_cast<std::uint8_t>(call.op)),
      number(number_of_call) {
  const std::string_view path = call.file;
  write_text(file, std::string(path.substr(path.rfind('/') + 1)));
}

bool CallRecord::same_call(const CallRecord& other) const {
  return count == other.count && root == other.root && kind == other.kind && type == other.type && op == other.op;
}

std::string CallRecord::text() const {
  if (number == 0 || kind > 4 || type > 2 || op > 2) return "nothing";
  if (file[0] == 0) return "the beginning of the group";
  const auto which = static_cast<Collective::Kind>(kind);
  std::string said = to_string(which);
  if (which != Collective::Kind::barrier)
    said += '(' + std::to_string(count) + ' ' + to_string(static_cast<ElementType>(type));
  if (which == Collective::Kind::all_reduce || which == Collective::Kind::reduce_scatter)
    said += std::string(", ") + to_string(static_cast<ReduceOp>(op));
  if (which == Collective::Kind::broadcast) said += ", root " + std::to_string(root);
  if (which != Collective::Kind::barrier) said += ')';
  return said + " at " + read_text(file) + ':' + std::to_string(line);
}

const char* CallRecord::phase() const { return kind <= 4 ? to_string(static_cast<Collective::Kind>(kind)) : ""; }

Error different_calls(std::span<const CallRecord> records, std::span<const std::string> names, int own_rank) {
  std::map<std::string, std::string> callers;
  for (std::size_t rank = 0; rank < records.size(); ++rank) {
    std::string& ranks = callers[records[rank].text()];
    ranks += (ranks.empty() ? "" : ", ") + names[rank];
  }
  std::string all;
  for (const auto& [text, ranks] : callers) all.append(all.empty() ? "" : "; ").append(ranks).append(": ").append(text);
  return {ErrorCode::invalid_argument,
          "ranks called different collectives or passed different sizes: " + all,
          {.phase = records[static_cast<std::size_t>(own_rank)].phase()}};
}

void write_text(std::span<char> to, const std::string& text) {
  const std::size_t length = std::min(to.size() - 1, text.size());
  std::memcpy(to.data(), text.data(), length);
  to[length] = 0;
}

std::string read_text(std::span<const char> from) {
  const std::string once(from.data(), from.size());  // a copy, because another process may change the array meanwhile
  return printable({once.data(), ::strnlen(once.data(), once.size())});
}

}  // namespace troupe
