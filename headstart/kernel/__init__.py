"""The kernel of a session: a real ipykernel that can be interrupted, loses no output and has `hs`.

A map; importing it imports nothing. `python -m headstart.kernel -f FILE` starts it, as every Jupyter
kernel is started.

- `__main__`: the start, in the order that makes it short
- `lean`: imports that a kernel does without until they are needed
- `app`, `kernel`, `shell`: the three classes of ipykernel, each with what differs
- `interrupts`: what SIGINT does, wherever it arrives
- `streams`: standard output and error; `wire`: messages as bytes
- `parents`: which cell the output of a thread belongs to
- `notices`: what the kernel itself has to say
- `names`: which names are the user's, and how many
- `expectations`: what is expected of ipykernel and IPython, checked at the start
- `kernelspec`: the entry in Jupyter's list of kernels
- `console`: Jupyter's console on the kernel of a session
- `wheel`: the headstart that is installed, as a wheel for the managed environment
"""
