#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "collectives/group/call_record.hpp"

namespace troupe {

/// What a rank tells all others: what it calls, that it has waited for long, or that nobody is to wait for it, or for
/// another one.
struct Word {
  enum class Kind : std::uint8_t { call, waits, over };

  std::uint64_t group = 0;  ///< of the groups that this process has been in, from 1 on
  std::uint64_t done = 0;   ///< calls that it has finished
  CallRecord call = {};
  std::int32_t pid = 0;
  std::int32_t rank = -1;  ///< who does not come
  std::uint8_t code = 0;   ///< why
  Kind kind = Kind::call;
  char text[230] = {};  ///< of the first call the machine's name, else why
};

/// What the ranks tell each other: the words of each come in order, some with a payload behind, and one of each rank
/// lies here until `next`.
class Words {
 public:
  Words(MPI_Comm comm, int rank, int size);
  ~Words();
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  /// To all others. What it says is copied.
  void say(const Word& word, std::span<const std::byte> payload = {});
  /// Whether what was said has left this process's hands.
  bool all_said();

  /// Looks what has come. Words of groups before this one are dropped.
  void look(std::uint64_t group);
  bool has(int rank) const { return inbox_[static_cast<std::size_t>(rank)].here; }
  const Word& word(int rank) const { return inbox_[static_cast<std::size_t>(rank)].word; }
  /// What lies behind the word; as much as it should be, whatever has come.
  const std::byte* payload(int rank) const {
    return inbox_[static_cast<std::size_t>(rank)].bytes.data() + sizeof(Word);
  }
  /// The word that lies here is not needed any more.
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
