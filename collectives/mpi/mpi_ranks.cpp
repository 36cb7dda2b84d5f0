#include "collectives/mpi/mpi_ranks.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "collectives/group/elements.hpp"
#include "collectives/group/memory.hpp"
#include "collectives/group/short_vectors.hpp"
#include "collectives/mpi/join_mpi.hpp"
#include "collectives/mpi/pause.hpp"
#include "runtime/invalid.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe {
namespace {

/// The interval at which a waiting rank checks whether other processes of this machine still exist.
constexpr std::chrono::milliseconds kLooksAliveEvery{100};
/// The maximum time for which a rank that leaves its group waits until its last word (Word) has been sent.
constexpr std::chrono::milliseconds kLastWord{500};
/// The number of times that a waiting rank still looks for words after the deadline, before it reports a timeout. This
/// is necessary if the process itself was stopped until after the deadline: it must read the words that have arrived
/// meanwhile before it blames another rank.
constexpr int kLastLooks = 100;
/// The maximum time for which this process, when it ends after a failure, waits for the other ranks.
constexpr std::chrono::milliseconds kLongestEnd{10'000};

/// Returns the MPI tag of the messages with vectors of the group `group`: a number from 1 to 32,767, which is the
/// largest tag that every MPI library supports. Words (`Word`) have the tag 0.
int tag_of(std::uint64_t group) { return 1 + static_cast<int>(group % 32767); }

bool has_gone(int pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

MpiRanks::MpiRanks(MpiProcess& mpi, std::chrono::milliseconds timeout)
    : mpi_(mpi),
      timeout_(timeout),
      group_(mpi.enter()),
      crowded_(usable_cores() < mpi.size()),
      ranks_(each_rank(mpi.size())),
      last_(static_cast<std::size_t>(mpi.size())),
      others_(static_cast<std::size_t>(mpi.size())),
      looks_at_(Clock::now() + kLooksAliveEvery),
      traffic_(mpi.comm(), tag_of(group_)),
      long_vectors_(mpi.rank(), mpi.size(), traffic_, [this] {
        wait(
            deadline_, [this] { return traffic_.is_done(); }, [this](int other) { return traffic_.waits_for(other); });
      }) {
  begin({});
  Word first = word(Word::Kind::call);
  write_text(first.text, mpi_.node());
  mpi_.words().say(first);
  meet(Deadline(timeout_));
  learn_names();
  for (int other = 0; other < size(); ++other) mpi_.words().next(other);
  done_ = 1;
  crowded_ = usable_cores() < std::ranges::count(others_, node(), &Other::node);
}

MpiRanks::~MpiRanks() {
  try {
    leave(ErrorCode::model_failed, "has left its group");
  } catch (const Error&) {  // the other ranks cannot be notified
  }
}

void MpiRanks::learn_names() {
  const Words& words = mpi_.words();
  const std::string own = mpi_.node();
  for (int rank = 0; rank < size(); ++rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    const bool self = rank == this->rank();
    other.node = self ? own : read_text(words.word(rank).text);
    other.pid = self ? ::getpid() : words.word(rank).pid;
    other.watched = !self && other.node == own && other.pid > 1 && !has_gone(other.pid);
  }
}

int MpiRanks::local_rank() const {
  return static_cast<int>(std::count_if(others_.begin(), others_.begin() + rank(),
                                        [this](const Other& other) { return other.node == node(); }));
}

Word MpiRanks::word(Word::Kind kind) const {
  Word word;
  word.group = group_;
  word.done = done_;
  word.call = own_;
  word.pid = ::getpid();
  word.rank = rank();
  word.kind = kind;
  return word;
}

std::string MpiRanks::name_of(int rank) const {
  const std::string& node = others_[static_cast<std::size_t>(rank)].node;
  return "rank " + std::to_string(rank) + (node.empty() ? "" : " (" + node + ')');
}

void MpiRanks::begin(const Collective& call) {
  own_ = CallRecord(call, own_.number + 1);
  waits_ = false;
  last_[static_cast<std::size_t>(rank())] = own_;
}

void MpiRanks::run(const Collective& call) {
  mpi_.check_thread();
  if (broken_) throw Error(*broken_);
  if (over_) throw_invalid(std::string(to_string(call.kind)) + ": this rank has already left its group");
  const Deadline deadline(timeout_);
  begin(call);
  const bool is_short = call.count * bytes_of(call.type) <= Words::kPayload;
  mpi_.words().say(word(Word::Kind::call), {bytes_at(call.in, 0), is_short ? short_bytes(call, rank(), size()) : 0});
  meet(deadline);
  const bool same = std::ranges::all_of(last_, [this](const CallRecord& each) { return each.same_call(own_); });
  if (same && is_short) run_short(call);
  for (int other = 0; other < size(); ++other) mpi_.words().next(other);
  if (same && !is_short) run_long(call, deadline);
  ++done_;
  if (same) return;
  std::vector<std::string> names;
  names.reserve(last_.size());
  for (int other = 0; other < size(); ++other) names.push_back(name_of(other));
  throw different_calls(last_, names, rank());
}

/// Blocks until each other rank has sent the word (`Word`) of its call, and stores the records of these calls in
/// `last_`.
void MpiRanks::meet(const Deadline& deadline) {
  const Words& words = mpi_.words();
  const auto waits_for = [&](int other) { return other != rank() && !words.has(other); };
  wait(
      deadline,
      [&] {
        for (int other = 0; other < size(); ++other)
          if (waits_for(other)) return false;
        return true;
      },
      waits_for);
  for (int other = 0; other < size(); ++other)
    if (other != rank()) last_[static_cast<std::size_t>(other)] = words.word(other).call;
}

void MpiRanks::run_short(const Collective& call) {
  std::vector<const std::byte*> vectors;
  vectors.reserve(last_.size());
  for (int each = 0; each < size(); ++each)
    vectors.push_back(each == rank() ? bytes_at(call.in, 0) : mpi_.words().payload(each));
  take_short(call, rank(), vectors, ranks_);
}

void MpiRanks::run_long(const Collective& call, const Deadline& deadline) {
  deadline_ = deadline;
  try {
    long_vectors_.run(call);
  } catch (...) {
    if (!traffic_.give_up()) mpi_.keep(long_vectors_.memory());
    throw;
  }
}

void MpiRanks::wait(const Deadline& deadline, const std::function<bool()>& done,
                    const std::function<bool(int)>& waits_for) {
  Pause pause(crowded_);
  const Deadline late = deadline.earlier();
  int last_looks = kLastLooks;
  for (;;) {
    mpi_.words().look(group_);
    hear_others(late.passed());
    if (done()) return;
    if (deadline.passed() && --last_looks == 0) time_out(waits_for);
    if (Clock::now() >= looks_at_) check_alive(waits_for);
    pause();
  }
}

/// Processes the words that have arrived. If `late` is true, or another rank has sent a word `waits`, sends a word
/// `waits` to all ranks, but only once per call. So all ranks that wait send `waits`, and `time_out` can blame a rank
/// that has not sent `waits`.
/// @param late true if this rank has waited for a long time
void MpiRanks::hear_others(bool late) {
  Words& words = mpi_.words();
  bool others_wait = false;
  for (int other = 0; other < size(); ++other) {
    if (!words.has(other)) continue;
    hear(other, words.word(other));
    if (words.word(other).kind != Word::Kind::waits) continue;
    others_wait = true;
    words.next(other);
  }
  if ((late || others_wait) && !std::exchange(waits_, true)) words.say(word(Word::Kind::waits));
}

/// Processes the word `word` from `rank`. Throws if the word states that a rank no longer takes part (kind `over`),
/// unless the sender had already finished the call that this rank makes at present.
void MpiRanks::hear(int rank, const Word& word) {
  others_[static_cast<std::size_t>(rank)].waits = word.kind == Word::Kind::waits;
  if (word.kind != Word::Kind::over || word.done >= own_.number) return;
  const bool known = word.rank >= 0 && word.rank < size();
  fail({static_cast<ErrorCode>(word.code), known ? word.rank : rank, read_text(word.text)});
}

/// Checks for each rank on this machine for which this rank waits whether its process still exists. Throws if a process
/// is missing in two successive checks. One check is not enough, because the last word of a process may arrive after
/// the process has ended.
void MpiRanks::check_alive(const std::function<bool(int)>& waits_for) {
  looks_at_ = Clock::now() + kLooksAliveEvery;
  for (int rank = 0; rank < size(); ++rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    if (!other.watched || !waits_for(rank)) continue;
    const bool before = std::exchange(other.gone, has_gone(other.pid));
    if (before && other.gone) fail({ErrorCode::worker_lost, rank, "was lost: its process has ended"});
  }
}

void MpiRanks::time_out(const std::function<bool(int)>& waits_for) {
  const auto first = [this](const std::function<bool(int)>& is_it) {
    for (int other = 0; other < size(); ++other)
      if (other != rank() && is_it(other)) return other;
    return -1;
  };
  // A rank is silent if it has not sent a word `waits` in this call, and if no later word from it has arrived. A later
  // word shows that the rank has finished this call.
  const auto is_silent = [this](int other) {
    return !others_[static_cast<std::size_t>(other)].waits && !mpi_.words().has(other);
  };
  int missing = first([&](int other) { return waits_for(other) && is_silent(other); });
  // If this rank waits for no silent rank, blame a silent rank for which other ranks wait.
  if (missing < 0) missing = first(is_silent);
  if (missing < 0) missing = first(waits_for);
  const CallRecord& last = last_[static_cast<std::size_t>(std::max(0, missing))];
  fail({ErrorCode::timeout, std::max(0, missing),
        last.number == own_.number ? std::string("made the same call, but then stopped responding")
                                   : "did not arrive in time; last call: " + last.text()});
}

/// Breaks the group for this rank, and throws an error that names `absence.rank`. Before it throws, sends the reason to
/// the other ranks, so that their errors also name `absence.rank`, and not this rank.
void MpiRanks::fail(const Absence& absence) {
  const ErrorCode code = absence.code > ErrorCode::in_use ? ErrorCode::worker_lost : absence.code;
  const Other& other = others_[static_cast<std::size_t>(absence.rank)];
  broken_ = Error(code, own_.text() + ": " + name_of(absence.rank) + ' ' + absence.text,
                  {.worker = absence.rank, .node = other.node, .phase = own_.phase()});
  mpi_.doubt(std::min(timeout_, kLongestEnd));
  say_over({code, absence.rank, absence.text});
  throw Error(*broken_);
}

void MpiRanks::say_over(const Absence& absence) {
  if (std::exchange(over_, true)) return;
  mpi_.left();
  Word last = word(Word::Kind::over);
  last.rank = absence.rank;
  last.code = static_cast<std::uint8_t>(absence.code);
  write_text(last.text, absence.text);
  mpi_.words().say(last);
}

void MpiRanks::leave(ErrorCode code, const std::string& text) {
  if (over_) return;
  if (std::uncaught_exceptions() > 0) mpi_.doubt(std::min(timeout_, kLongestEnd));
  say_over({code, rank(), text});
  const Deadline deadline(kLastWord);
  Pause pause(true);
  while (!mpi_.words().all_said() && !deadline.passed()) pause();
}

MpiRank join_mpi(std::chrono::milliseconds timeout) {
  auto ranks = make_owned_here<MpiRanks>(MpiProcess::get(Deadline(timeout)), timeout);
  return {ranks, ranks->local_rank(), ranks->node()};
}

}  // namespace troupe
