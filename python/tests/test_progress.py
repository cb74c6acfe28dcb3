"""Contract: progress is told, and Ctrl-C ends a call and keeps what there is."""

import signal
import threading

import numpy as np
import pytest

import insonate


@pytest.fixture
def pressed_after():
    """Presses Ctrl-C some seconds into a call that takes hours; returns the exception."""

    def run(seconds, call):
        timer = threading.Timer(seconds, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt) as stopped:
            call()
        timer.join()
        return stopped.value

    return run


def test_a_function_is_told_the_share_that_is_done(tmp_path):
    told = []
    insonate.train(
        "pendulum",
        output=tmp_path,
        steps=20_000,
        evaluate_episodes=2,
        tensorboard=False,
        progress=lambda share, text: told.append((share, text)),
    )
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and 0.0 <= shares[0] and shares[-1] <= 1.0
    assert any("steps/s" in text for _, text in told)


def test_a_bar_is_text_where_tqdm_is_missing(capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    insonate.evaluate("scripted", task="reacher", episodes=400, progress=True)
    assert "evaluating [" in capsys.readouterr().err


def test_an_exception_of_the_function_ends_the_call():
    def fail(share, text):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as stopped:
        insonate.evaluate("scripted", task="reacher", episodes=100_000, progress=fail)
    assert stopped.value.partial.summary["interrupted"]


def test_an_interrupted_evaluation_has_its_finished_episodes(pressed_after):
    call = lambda: insonate.evaluate("scripted", task="reacher", episodes=200_000)  # noqa: E731
    partial = pressed_after(0.5, call).partial
    assert partial.summary["interrupted"] and partial.summary["episodes"] == len(partial.columns["seed"]) > 0


def test_an_interrupted_training_continues_bit_for_bit(tmp_path):
    settings = {"steps": 40_000, "evaluate_episodes": 2, "tensorboard": False}
    insonate.train("pendulum", output=tmp_path / "whole", **settings)

    def stop(share, text):
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        insonate.train("pendulum", output=tmp_path / "parts", progress=stop, **settings)
    partial = stopped.value.partial
    assert partial.summary["ending"] == "interrupted" and partial.summary["global_step"] < 40_000
    resumed = insonate.train("pendulum", output=tmp_path / "parts", resume=True, **settings)
    assert resumed.summary["ending"] == "finished"
    policies = [(tmp_path / folder / "policy.safetensors").read_bytes() for folder in ("whole", "parts")]
    assert policies[0] == policies[1]


def test_an_interrupted_scan_has_its_log(pressed_after):
    scene = insonate.Scene(torso="composite")
    log = pressed_after(1.5, lambda: insonate.scan(scene, speed=0.001)).partial.columns
    assert np.all(np.diff(log["time_s"]) > 0.0)
