#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "collectives/group/call_record.hpp"

namespace troupe {

/// A message from a rank to all others: it makes a call, it has waited for a long time, or a rank no longer takes part.
struct Word {
  enum class Kind : std::uint8_t { call, waits, over };

  std::uint64_t group = 0;  ///< number of the group among the groups of this process, from 1 on
  std::uint64_t done = 0;   ///< number of calls that the sender has finished
  CallRecord call = {};
  std::int32_t pid = 0;
  std::int32_t rank = -1;  ///< for `over`: the rank that no longer takes part
  std::uint8_t code = 0;   ///< for `over`: the error code
  Kind kind = Kind::call;
  char text[230] = {};  ///< in the first call the machine's name; for `over` the reason
};

/// Exchanges words between ranks. The words of each rank arrive in order, some with a payload. One word of each rank is
/// stored here until `next`.
class Words {
 public:
  Words(MPI_Comm comm, int rank, int size);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// Sends a word to all other ranks. The word and the payload are copied.
  void say(const Word& word, std::span<const std::byte> payload = {});
  /// Returns true if MPI has sent all words of this process.
  bool all_said();

  /// Receives words that have arrived. Drops words of groups before `group`.
  void look(std::uint64_t group);
  bool has(int rank) const { return inbox_[static_cast<std::size_t>(rank)].here; }
  const Word& word(int rank) const { return inbox_[static_cast<std::size_t>(rank)].word; }
  /// Returns the payload of the word. The buffer always has the full size; nothing checks how much has arrived.
  const std::byte* payload(int rank) const {
    return inbox_[static_cast<std::size_t>(rank)].bytes.data() + sizeof(Word);
  }
  /// Discards the stored word of a rank and receives its next one.
  void next(int rank);

  static constexpr std::size_t kPayload = 4096;

 private:
  struct Inbox {
    std::vector<std::byte> bytes;
    Word word;
    bool here = false;
  };
  struct Said {
    std::vector<std::byte> bytes;
    std::vector<MPI_Request> requests;
  };

  bool has_left(Said& said);
  Said& free_place();
  void listen(int rank);

  MPI_Comm comm_;
  int rank_, size_;
  std::vector<Inbox> inbox_;
  std::vector<MPI_Request> listening_;
  std::vector<int> came_;  ///< scratch
  std::list<Said> said_;
};

}  // namespace troupe
