#include <algorithm>
#include <set>
#include <thread>

#include "cuda/double/streams.hpp"
#include "cuda/double/trial.hpp"

using namespace troupe::cuda_double;

namespace {

/// Returns the results of a copy after a kernel on another stream, over many seeds. An event orders the two.
std::set<float> results_over_seeds(bool drops_wait) {
  std::set<float> results;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    reset({.seed = seed});
    float* const block = new_floats(1);
    float* const host = new_pinned(1);
    const cudaStream_t first = new_stream();
    const cudaStream_t second = new_stream();
    const cudaEvent_t event = new_event();
    if (drops_wait) drop_wait(0);
    REQUIRE(cudaMemsetAsync(block, 0, sizeof(float), first) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(first) == cudaSuccess);
    REQUIRE(launch(first, [=] { *block = 5; }) == cudaSuccess);
    REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(host, block, sizeof(float), cudaMemcpyDeviceToHost, second) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(second) == cudaSuccess);
    results.insert(*host);
    CHECK(complaints().empty());
  }
  return results;
}

}  // namespace

TEST_CASE("double: a missing event changes results") {
  CHECK(results_over_seeds(false) == std::set<float>{5});
  CHECK(results_over_seeds(true) == std::set<float>{0, 5});
}

TEST_CASE("double: streams run in an order that depends on the seed only") {
  const auto order_of = [](std::uint64_t seed) {
    reset({.seed = seed});
    std::vector<int> order;
    const cudaStream_t streams[] = {new_stream(), new_stream(), new_stream()};
    for (int task = 0; task < 12; ++task)
      REQUIRE(launch(streams[task % 3], [&order, task] { order.push_back(task); }) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(order.size() == 12);
    for (int stream = 0; stream < 3; ++stream) {
      std::vector<int> own;
      for (const int task : order)
        if (task % 3 == stream) own.push_back(task);
      CHECK(std::is_sorted(own.begin(), own.end()));
    }
    return order;
  };
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) orders.insert(order_of(seed));
  CHECK(orders.size() > 10);
  CHECK(order_of(7) == order_of(7));
}

TEST_CASE("double: waiting for a stream may run other streams, depending on the seed") {
  int ran_too = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    reset({.seed = seed});
    bool ran = false;
    const cudaStream_t first = new_stream();
    const cudaStream_t second = new_stream();
    REQUIRE(launch(second, [] {}) == cudaSuccess);
    REQUIRE(launch(first, [&ran] { ran = true; }) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(second) == cudaSuccess);
    ran_too += ran ? 1 : 0;
    REQUIRE(cudaStreamSynchronize(first) == cudaSuccess);
    CHECK(ran);
  }
  CHECK(ran_too > 20);
  CHECK(ran_too < 80);
}

TEST_CASE("double: queued work may run in any later call") {
  std::set<int> calls_until_run;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    reset({.seed = seed});
    bool ran = false;
    const cudaStream_t stream = new_stream();
    REQUIRE(launch(stream, [&ran] { ran = true; }) == cudaSuccess);
    CHECK_FALSE(ran);
    int count = 0;
    for (int device = 0; !ran && count < 200; ++count) REQUIRE(cudaGetDevice(&device) == cudaSuccess);
    CHECK(ran);
    calls_until_run.insert(count);
  }
  CHECK(calls_until_run.size() > 5);
}

TEST_CASE("double: a wait refers to the latest recording at the time of the call") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    reset({.seed = seed});
    const cudaStream_t first = new_stream();
    const cudaStream_t second = new_stream();
    const cudaEvent_t event = new_event();
    CHECK(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);  // never recorded: no wait
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
    CHECK(cudaEventQuery(event) == cudaSuccess);
    int value = 0;
    int seen = 0;
    REQUIRE(launch(first, [&] { value = 1; }) == cudaSuccess);
    REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
    REQUIRE(launch(second, [&] { seen = value; }) == cudaSuccess);
    REQUIRE(cudaEventRecord(event, second) == cudaSuccess);
    REQUIRE(cudaEventDestroy(event) == cudaSuccess);  // work that waits for it still waits
    REQUIRE(cudaStreamDestroy(second) == cudaSuccess);
    CHECK(seen == 1);
  }
}

TEST_CASE("double: a loop of polls ends") {
  reset({});
  const cudaStream_t stream = new_stream();
  const cudaEvent_t event = new_event();
  for (int task = 0; task < 5; ++task) REQUIRE(launch(stream, [] {}) == cudaSuccess);
  REQUIRE(cudaEventRecord(event, stream) == cudaSuccess);
  int polls = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++polls;
  CHECK(polls > 0);
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

TEST_CASE("double: a wait for an event that is never recorded is detected") {
  reset({});
  const cudaStream_t stream = new_stream();
  Streams& all = streams();
  all.push(*all.find(stream), {.what = "a wait", .waits_for = std::make_shared<Recording>()});
  CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchTimeout);
  CHECK(complained("deadlock"));
}

TEST_CASE("double: the default stream and blocking streams are refused") {
  reset({});
  float* const block = new_floats(1);
  CHECK(cudaMemsetAsync(block, 0, 4, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread) == cudaErrorInvalidValue);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault) == cudaErrorInvalidValue);
  stream = new_stream();
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(launch(stream, [] {}) == cudaErrorInvalidValue);
  CHECK(complaints().size() == 4);
}

TEST_CASE("double: asynchronous copies access page-locked memory when they run") {
  std::set<float> from_pinned;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    reset({.seed = seed});
    float* const block = new_floats(2);
    float* const pinned = new_pinned(2);
    const cudaStream_t stream = new_stream();
    float pageable = 3;
    *pinned = 3;
    REQUIRE(cudaMemcpyAsync(block, pinned, 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(block + 1, &pageable, 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
    pageable = 4;
    *pinned = 4;
    float back[2] = {};
    REQUIRE(cudaMemcpyAsync(back, block, sizeof back, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    from_pinned.insert(back[0]);
    CHECK(back[1] == 3);
    CHECK(pageable_copies() == 2);
    CHECK(bytes_to_device() == 8);
    CHECK(bytes_to_host() == 8);
  }
  CHECK(from_pinned.contains(4));
}

TEST_CASE("double: threads can use a stream each") {
  reset({});
  std::vector<std::thread> threads;
  std::vector<float> sums(4);
  for (float& sum : sums)
    threads.emplace_back([&sum] {
      float* const block = new_floats(1);
      const cudaStream_t stream = new_stream();
      REQUIRE(cudaMemsetAsync(block, 0, 4, stream) == cudaSuccess);
      for (int step = 0; step < 200; ++step) {
        REQUIRE(launch(stream, [=] { *block += 1; }) == cudaSuccess);
        if (step % 10 == 0) REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
      }
      REQUIRE(cudaMemcpyAsync(&sum, block, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
      REQUIRE(cudaFree(block) == cudaSuccess);
      REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(sums == std::vector<float>(4, 200));
  CHECK(usage() == Usage{});
  CHECK(complaints().empty());
}

TEST_CASE("double: unordered work on the same memory is a race with every seed") {
  reset({});
  float* const block = new_floats(2);
  const cudaStream_t first = new_stream();
  const cudaStream_t second = new_stream();
  const cudaEvent_t event = new_event();
  const auto write_in = [&](cudaStream_t stream, float* to) {
    REQUIRE(cudaMemsetAsync(to, 0, sizeof(float), stream) == cudaSuccess);
    return static_cast<int>(complaints().size());
  };
  CHECK(write_in(first, block) == 0);
  CHECK(write_in(second, block + 1) == 0);  // next to it
  REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
  CHECK(write_in(first, block) == 0);  // ordered within the stream
  REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  CHECK(write_in(second, block) == 1);  // ordered after the first write only
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(write_in(first, block) == 1);  // the host waited
  REQUIRE(cudaEventRecord(event, first) == cudaSuccess);
  REQUIRE(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  CHECK(write_in(second, block) == 1);
  REQUIRE(launch(first, [] {}, {{block, 4, false}}) == cudaSuccess);
  CHECK(complaints().size() == 2);
  CHECK(complained("race: kernel 1 and a memset of 4 bytes"));
}

TEST_CASE("double: concurrent reads are not a race") {
  reset({});
  float* const block = new_floats(1);
  const cudaStream_t first = new_stream();
  const cudaStream_t second = new_stream();
  float* const pinned = new_pinned(2);
  REQUIRE(cudaMemcpyAsync(pinned, block, 4, cudaMemcpyDeviceToHost, first) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(pinned + 1, block, 4, cudaMemcpyDeviceToHost, second) == cudaSuccess);
  CHECK(complaints().empty());
  REQUIRE(cudaMemcpyAsync(pinned, block, 4, cudaMemcpyDeviceToHost, second) == cudaSuccess);
  CHECK(complained("race"));  // both write the same host memory
}
