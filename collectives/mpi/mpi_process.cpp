#include "collectives/mpi/mpi_process.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "collectives/mpi/mpi_error.hpp"
#include "collectives/mpi/pause.hpp"
#include "runtime/invalid.hpp"
#include "runtime/log.hpp"

namespace troupe {
namespace {

/// Blocks until `request` is complete, and returns true. Returns false if the deadline passes first.
bool await(MPI_Request& request, const Deadline& deadline) {
  Pause pause(true);
  for (int done = 0;;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return true;
    if (deadline.passed()) return false;
    pause();
  }
}

}  // namespace

MpiProcess& MpiProcess::get(const Deadline& deadline) {
  static MpiProcess process(deadline);  // MPI can be initialised only once per process
  return process;
}

MpiProcess::MpiProcess(const Deadline& deadline) {
  int over = 0;
  int initialised = 0;
  MPI_Finalized(&over);
  if (over != 0) throw Error(ErrorCode::unsupported, "MPI has been finalized and cannot be initialised again");
  MPI_Initialized(&initialised);
  int threads = MPI_THREAD_SINGLE;
  if (initialised == 0) {
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads), "MPI_Init_thread");
    check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    ours_ = true;
  } else {
    check_mpi(MPI_Query_thread(&threads), "MPI_Query_thread");
  }
  any_thread_ = threads >= MPI_THREAD_SERIALIZED;
  check_thread();
  MPI_Request copied = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(MPI_COMM_WORLD, &comm_, &copied), "MPI_Comm_idup");
  if (!await(copied, deadline))
    throw Error(ErrorCode::timeout,
                "not all MPI ranks have joined; each rank must create a troupe::StandaloneContext with backend mpi");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  words_ = std::make_unique<Words>(comm_, rank_, size_);
  free_words_with_mpi();
}

/// Makes MPI_Finalize delete `words_` before it ends MPI, even if the program and not this class calls MPI_Finalize.
/// For this, registers an attribute of MPI_COMM_SELF. MPI_Finalize begins with the deletion of these attributes, and
/// calls the attribute's delete function, which deletes `words_`.
void MpiProcess::free_words_with_mpi() {
  int key = MPI_KEYVAL_INVALID;
  const auto free_words = [](MPI_Comm /*comm*/, int /*key*/, void* process, void* /*extra*/) -> int {
    static_cast<MpiProcess*>(process)->words_.reset();
    return MPI_SUCCESS;
  };
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_words, &key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, this), "MPI_Comm_set_attr");
}

MpiProcess::~MpiProcess() {
  if (!owner_.is_this()) {
    static_cast<void>(words_.release());
    return;
  }
  try {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0 && ours_) end();
  } catch (const std::exception& error) {
    log_line(LogLevel::warning, error.what());
  }
}

/// Finalizes MPI. MPI_Finalize waits for all ranks without a time limit. So all ranks first meet in a barrier, whose
/// time limit `doubt` can set. If a rank does not arrive in the barrier in time, this rank aborts the MPI job, which
/// ends all ranks.
void MpiProcess::end() {
  MPI_Request all_ended = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm_, &all_ended), "MPI_Ibarrier");
  if (!await(all_ended, end_timeout_ ? Deadline(*end_timeout_) : Deadline::never())) {
    log_line(LogLevel::warning, "not all MPI ranks reach their end; this rank aborts all ranks");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}

void MpiProcess::check_thread() const {
  int main = 1;
  if (!any_thread_) MPI_Is_thread_main(&main);
  if (main == 0)
    throw Error(ErrorCode::unsupported,
                "MPI was initialised for calls from its main thread only; initialise it with MPI_THREAD_SERIALIZED");
}

std::string MpiProcess::node() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(std::max(0, length))};
}

std::uint64_t MpiProcess::enter() {
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) throw_invalid("MPI has been finalized");
  if (std::exchange(in_group_, true)) throw_invalid("this process is already in an MPI group");
  return ++groups_;
}

void MpiProcess::doubt(std::chrono::milliseconds time) { end_timeout_ = std::max(end_timeout_.value_or(time), time); }

}  // namespace troupe
