#include "collectives/mpi/words.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/mpi/mpi_error.hpp"

namespace troupe {
namespace {

constexpr int kTag = 0;

}  // namespace

Words::Words(MPI_Comm comm, int rank, int size)
    : comm_(comm),
      rank_(rank),
      size_(size),
      inbox_(static_cast<std::size_t>(size)),
      listening_(static_cast<std::size_t>(size), MPI_REQUEST_NULL),
      came_(static_cast<std::size_t>(size)) {
  for (int other = 0; other < size_; ++other) {
    if (other == rank_) continue;
    inbox_[static_cast<std::size_t>(other)].bytes.resize(sizeof(Word) + kPayload);
    listen(other);
  }
}

/// Ignores errors of MPI, because this destructor runs when the process ends or when MPI is finalized.
Words::~Words() {
  for (MPI_Request& request : listening_)
    if (request != MPI_REQUEST_NULL && MPI_Cancel(&request) == MPI_SUCCESS) MPI_Request_free(&request);
}

void Words::listen(int rank) {
  const auto at = static_cast<std::size_t>(rank);
  std::vector<std::byte>& bytes = inbox_[at].bytes;
  check_mpi(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, kTag, comm_, &listening_[at]),
            "MPI_Irecv");
}

bool Words::has_left(Said& said) {
  int left = 0;
  check_mpi(MPI_Testall(static_cast<int>(said.requests.size()), said.requests.data(), &left, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  return left != 0;
}

bool Words::all_said() {
  return std::all_of(said_.begin(), said_.end(), [this](Said& said) { return has_left(said); });
}

Words::Said& Words::free_place() {
  for (Said& said : said_)
    if (has_left(said)) return said;
  Said& said = said_.emplace_back();
  said.requests.assign(static_cast<std::size_t>(size_), MPI_REQUEST_NULL);
  return said;
}

void Words::say(const Word& word, std::span<const std::byte> payload) {
  Said& said = free_place();
  said.bytes.resize(sizeof word + payload.size());
  std::memcpy(said.bytes.data(), &word, sizeof word);
  if (!payload.empty()) std::memcpy(said.bytes.data() + sizeof word, payload.data(), payload.size());
  for (int other = 0; other < size_; ++other)
    if (other != rank_)
      check_mpi(MPI_Isend(said.bytes.data(), static_cast<int>(said.bytes.size()), MPI_BYTE, other, kTag, comm_,
                          &said.requests[static_cast<std::size_t>(other)]),
                "MPI_Isend");
}

void Words::look(std::uint64_t group) {
  int count = 0;
  check_mpi(MPI_Testsome(size_, listening_.data(), &count, came_.data(), MPI_STATUSES_IGNORE), "MPI_Testsome");
  // If a word of each other rank is already stored, no receive is in progress.
  if (count == MPI_UNDEFINED) count = 0;
  for (int i = 0; i < count; ++i) {
    Inbox& inbox = inbox_[static_cast<std::size_t>(came_[static_cast<std::size_t>(i)])];
    std::memcpy(&inbox.word, inbox.bytes.data(), sizeof inbox.word);
    inbox.here = true;
  }
  for (int other = 0; other < size_; ++other)
    if (has(other) && word(other).group < group) next(other);
}

void Words::next(int rank) {
  Inbox& inbox = inbox_[static_cast<std::size_t>(rank)];
  if (!inbox.here) return;
  inbox.here = false;
  listen(rank);
}

}  // namespace troupe
