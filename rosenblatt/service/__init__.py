"""A service that learns while it answers, and loses nothing that it acknowledged: `rosenblatt serve`.

    server    from the lock on a folder to the last version
    gate      host, token, size: before a request is looked at
    app       the addresses; `bodies` their types, `inference` those of the Open Inference Protocol
    models    all models; `writer` one of them: groups of entries, made durable, then learned
    journal   what a model was told, in SQLite; `folder` its versions, and recovery
    learner   what is asked of an estimator

Nothing of it is imported before `rosenblatt serve` or `rosenblatt.Client`.
"""
