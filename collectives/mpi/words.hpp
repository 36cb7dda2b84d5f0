#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "collectives/group/call_record.hpp"

namespace troupe {

/// A short control message of fixed size (called a word) from a rank to all other ranks. A word has one of three kinds:
/// `call` if the sender makes a call of a collective, `waits` if the sender has waited for a long time, and `over` if a
/// rank no longer takes part.
struct Word {
  enum class Kind : std::uint8_t { call, waits, over };

  std::uint64_t group = 0;  ///< number of the sender's group, from 1 on (see MpiProcess::enter)
  std::uint64_t done = 0;   ///< number of calls of collectives that the sender has finished in this group
  CallRecord call = {};
  std::int32_t pid = 0;
  std::int32_t rank = -1;  ///< for `over`: the rank that no longer takes part
  std::uint8_t code = 0;   ///< for `over`: the error code
  Kind kind = Kind::call;
  char text[230] = {};  ///< in the first call of a group: the name of the sender's machine; for `over`: the reason
};

/// Sends words (`Word`) to the other ranks, and receives the words of the other ranks. A payload (a short vector) may
/// follow a word. The words of a rank arrive in the order in which the rank has sent them. This class stores one
/// received word per rank, until `next` is called for that rank.
class Words {
 public:
  Words(MPI_Comm comm, int rank, int size);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// Starts to send a copy of `word` and `payload` to all other ranks, and returns at once.
  void say(const Word& word, std::span<const std::byte> payload = {});
  /// Returns true if MPI has sent all words that were passed to `say`.
  bool all_said();

  /// Stores the words that have arrived, at most one per rank. Drops words of earlier groups, whose number is smaller
  /// than `group`. Does not wait.
  void look(std::uint64_t group);
  /// Returns true if a word from `rank` is stored.
  bool has(int rank) const { return inbox_[static_cast<std::size_t>(rank)].here; }
  const Word& word(int rank) const { return inbox_[static_cast<std::size_t>(rank)].word; }
  /// Returns the payload of the stored word from `rank`, a buffer of kPayload bytes. The caller must know how many of
  /// these bytes the sender has sent; this class does not check it.
  const std::byte* payload(int rank) const {
    return inbox_[static_cast<std::size_t>(rank)].bytes.data() + sizeof(Word);
  }
  /// Discards the stored word from `rank`, and starts to receive the next word from `rank`. Does nothing if no word
  /// from `rank` is stored.
  void next(int rank);

  /// The maximum size of a payload, in bytes.
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

  /// Returns true if MPI has sent the word `said` to all other ranks.
  bool has_left(Said& said);
  Said& free_place();
  void listen(int rank);

  MPI_Comm comm_;
  int rank_, size_;
  std::vector<Inbox> inbox_;
  std::vector<MPI_Request> listening_;
  std::vector<int> came_;  ///< scratch: the ranks whose words have arrived
  std::list<Said> said_;
};

}  // namespace troupe
