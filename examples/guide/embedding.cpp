// Training as part of a larger program: in its own thread, controlled from outside, with the program's log.
#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <thread>
#include <troupe/troupe.hpp>

int main(int argc, char** argv) {
  troupe::set_log_sink([](const troupe::LogRecord& record) { std::clog << "[training] " << record.text << '\n'; });
  troupe::init(argc, argv);
  std::atomic<bool> stop = false;
  std::atomic<double> rate = 0.01;
  std::future<std::vector<float>> weights = std::async(std::launch::async, [&] {
    troupe::DistributedSGD sgd{
        "mlp", {.num_workers = 2, .config = R"({"data": "mock-images:8,10", "batch_size": 8})", .verbose = false}};
    while (!stop) {
      sgd.set_learning_rate(rate);  // for the next step
      sgd.step();
    }
    std::cout << "stopped after step " << sgd.report().step << ", rate " << sgd.report().learning_rate << '\n';
    return sgd.weights();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the program's other work
  rate = 0.001;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  stop = true;
  try {
    std::cout << weights.get().size() << " weights\n";
  } catch (const troupe::Error& error) {  // exceptions of the training thread are rethrown here
    std::cerr << error.what() << '\n';
    return 1;
  }
}
