#include "actors/trainer/function_call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// The maximum size in bytes of a frame, which contains a report, checkpoint or result of a function.
constexpr std::uint64_t kMostFrameBytes = std::uint64_t{16} << 30;
constexpr std::size_t kHeadBytes = 1 + sizeof(std::uint64_t);

}  // namespace

std::optional<FrameReader::Frame> FrameReader::next() {
  if (bytes_.size() - begin_ < kHeadBytes) return std::nullopt;
  const auto kind = static_cast<std::uint8_t>(bytes_[begin_]);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes_.data() + begin_ + 1, sizeof length);
  if (kind > static_cast<std::uint8_t>(FrameKind::result) || length > kMostFrameBytes)
    throw Error(ErrorCode::protocol, "a worker sent an invalid frame");
  if (bytes_.size() - begin_ - kHeadBytes < length) return std::nullopt;
  Frame frame{static_cast<FrameKind>(kind), bytes_.substr(begin_ + kHeadBytes, length)};
  begin_ += kHeadBytes + length;
  if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  return frame;
}

FunctionCall::FunctionCall(WorkerPool& pool, CallRequest request)
    : pool_(pool), request_(std::move(request)), most_held_(memory_bytes() / 2) {
  std::vector<int> workers = pool_.members().workers();
  if (request_.single) workers.resize(1);
  for (const int worker : workers) ranks_.push_back({worker, {}, false});
  const Phase starting{"start", -1, Deadline(pool_.options().timeouts.start)};
  provide_checkpoint(workers, starting);
  if (size() > 1) pool_.begin_group(request_.run, static_cast<std::uint64_t>(request_.attempt), starting);
  std::vector<std::pair<int, StartFunction>> starts;
  starts.reserve(ranks_.size());
  for (int rank = 0; rank < size(); ++rank)
    starts.emplace_back(workers[static_cast<std::size_t>(rank)], start_of(rank));
  begin(starts, starting);
  for (int rank = 0; rank < size(); ++rank) listen(rank);
}

/// Sends the requests `starts`, which start the function. If the function does not begin on a worker, ends it on the
/// workers on which it has begun, and throws the error. This is necessary because a worker runs only one function at a
/// time.
void FunctionCall::begin(const std::vector<std::pair<int, StartFunction>>& starts, const Phase& phase) try {
  pool_.rounds().ask_each(starts, phase);
} catch (const Error& error) {
  for (int rank = 0; rank < size(); ++rank) {
    Rank& each = ranks_[static_cast<std::size_t>(rank)];
    each.ended = pool_.members().lost(each.worker);
    if (!each.ended) listen(rank);
  }
  end(std::max(0, rank_of(error.where().worker)), "did not begin: " + error.message());
  throw;
}

void FunctionCall::provide_checkpoint(const std::vector<int>& workers, const Phase& phase) {
  bool first = true;
  for (std::size_t begin = 0; first || begin < request_.checkpoint.size(); begin += kLongestSetting) {
    pool_.rounds().ask(ProvideCheckpoint{0, first, request_.checkpoint.substr(begin, kLongestSetting)}, workers, phase);
    first = false;
  }
}

StartFunction FunctionCall::start_of(int rank) const {
  const TrainerOptions& options = pool_.options();
  const Members& members = pool_.members();
  const int worker = ranks_[static_cast<std::size_t>(rank)].worker;
  StartFunction start;
  start.run = request_.run;
  start.attempt = request_.attempt;
  start.rank = rank;
  start.size = size();
  start.cores = options.cpus_per_worker;
  start.gpus = options.gpus_per_worker;
  start.seed = options.seed;
  start.timeout_ms = static_cast<std::uint64_t>(options.timeouts.collective.count());
  start.node = pool_.node_of(worker);
  start.name = request_.name;
  start.config = request_.config;
  start.datasets = request_.datasets;
  start.data_memory = options.memory.data_bytes;
  start.awaits_reports = request_.awaits_reports;
  start.local_size = 0;
  for (int other = 0; other < size(); ++other) {
    if (members.node_of(ranks_[static_cast<std::size_t>(other)].worker) != members.node_of(worker)) continue;
    ++start.local_size;
    if (other < rank) ++start.local_rank;
  }
  return start;
}

void FunctionCall::listen(int rank) {
  open_.push_back(pool_.rounds().open(Listen{}, {ranks_[static_cast<std::size_t>(rank)].worker}, phase()));
}

int FunctionCall::rank_of(int worker) const {
  const auto found = std::ranges::find(ranks_, worker, &Rank::worker);
  return found == ranks_.end() ? -1 : static_cast<int>(found - ranks_.begin());
}

void FunctionCall::refuse_unasked(const Answer& answer) const {
  if (answer.content.match_elements<Heard>())
    throw Error(ErrorCode::protocol, "a worker answered a question that it was not asked",
                pool_.rounds().where(answer.member, phase()));
}

std::optional<FunctionCall::Event> FunctionCall::next(const Deadline& until) {
  if (events_.empty())
    for (const int rank : std::exchange(heard_, {})) listen(rank);
  while (events_.empty() && !all_ended()) {
    try {
      auto heard = pool_.rounds().next_of<Heard, Done>(open_, until, phase(),
                                                       [this](const Answer& answer) { refuse_unasked(answer); });
      if (!heard) return std::nullopt;
      std::erase_if(open_, [](const Round& round) { return round.complete(); });
      if (auto* said = std::get_if<From<Heard>>(&*heard)) take(rank_of(said->member), said->reply);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::worker_lost) throw;
      lose(error);
    }
  }
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void FunctionCall::take(int rank, const Heard& heard) {
  if (rank < 0) return;
  Rank& who = ranks_[static_cast<std::size_t>(rank)];
  const Where where = pool_.rounds().where(who.worker, phase());
  try {
    who.frames.add(heard.bytes);
    while (auto frame = who.frames.next()) events_.push_back({Event::Kind::frame, rank, std::move(*frame)});
    check_memory();
    if (heard.ended && !who.frames.empty())
      throw Error(ErrorCode::protocol, "a function ended in the middle of a frame");
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), where);
  }
  if (!heard.ended) {
    // The request for the next piece confirms to the worker that all frames were processed. So it is sent only after
    // the caller has processed all events. If there are no events, because no frame is complete yet, request the next
    // piece at once.
    if (events_.empty()) return listen(rank);
    heard_.push_back(rank);
    return;
  }
  who.ended = true;
  if (!heard.failure) return events_.push_back({Event::Kind::ended, rank});
  const bool blames = heard.blamed >= 0 && heard.blamed < size() && heard.blamed != rank;
  Failure failure = heard.failure;
  // Use the driver's name for the node of the blamed rank, because the failed rank may not know the name.
  if (blames) failure.node = pool_.node_of(ranks_[static_cast<std::size_t>(heard.blamed)].worker);
  events_.push_back({Event::Kind::failed, rank, {}, failure.to_error(where), blames ? heard.blamed : -1});
}

void FunctionCall::check_memory() const {
  std::size_t held = 0;
  for (const Rank& each : ranks_) held += each.frames.size();
  if (held > most_held_)
    throw Error(ErrorCode::limit_reached,
                "the data that functions save or return takes more than half of the memory of the trainer's machine: " +
                    memory_limit_text());
}

void FunctionCall::lose(const Error& loss) {
  const Members& members = pool_.members();
  std::erase_if(open_, [&](const Round& round) {
    return std::ranges::any_of(round.missing(), [&](int worker) { return members.lost(worker); });
  });
  for (int rank = 0; rank < size(); ++rank) {
    Rank& each = ranks_[static_cast<std::size_t>(rank)];
    if (each.ended || !members.lost(each.worker)) continue;
    each.ended = true;
    // If the error `loss` names no node, it names no worker either, and its text applies to each lost worker.
    const bool told = each.worker == loss.where().worker || loss.where().node.empty();
    events_.push_back(
        {Event::Kind::lost,
         rank,
         {},
         told ? loss : Error(ErrorCode::worker_lost, "a worker was lost", pool_.rounds().where(each.worker, phase()))});
  }
}

void FunctionCall::tell_all(const StopFunction& request) {
  std::vector<int> workers;
  for (const Rank& each : ranks_)
    if (!each.ended && !pool_.members().lost(each.worker)) workers.push_back(each.worker);
  if (!workers.empty()) open_.push_back(pool_.rounds().open(request, workers, phase()));
}

void FunctionCall::stop(int absent, ErrorCode code, const std::string& why) {
  if (std::exchange(told_absent_, true)) return;
  StopFunction request;
  request.absent = absent;
  request.code = static_cast<std::int32_t>(code);
  request.why = why.substr(0, kLongestText);
  tell_all(request);
}

void FunctionCall::end(int absent, const std::string& why) noexcept {
  try {
    stop(absent, ErrorCode::worker_lost, why);
    const Deadline deadline(pool_.options().timeouts.stop);
    while (!over() && !deadline.passed() && next(deadline)) {
    }
  } catch (const std::exception&) {  // stop waiting; the remaining functions are abandoned
  }
  give_up();
}

std::vector<int> FunctionCall::give_up() {
  std::vector<int> given_up;
  for (int rank = 0; rank < size(); ++rank) {
    Rank& each = ranks_[static_cast<std::size_t>(rank)];
    if (each.ended) continue;
    each.ended = true;
    pool_.give_up(each.worker);
    given_up.push_back(rank);
  }
  open_.clear();
  heard_.clear();
  events_.clear();
  return given_up;
}

}  // namespace troupe
